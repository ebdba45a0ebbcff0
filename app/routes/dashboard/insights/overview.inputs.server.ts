import { z } from "zod";
import { REFUSED_CALLS_RANGES, STATISTICS_DAYS } from "../../../domain/insights/overview-range";
import type { OverviewRange } from "../../../services/insights/overview";

/** The page's query, set by the links of the tabs. Invalid values count as not set. */
const OverviewQuery = z.object({
  days: z.coerce
    .number()
    .pipe(z.literal([...STATISTICS_DAYS]))
    .catch(30),
  refused: z.enum(REFUSED_CALLS_RANGES).catch("24h"),
});

/** Reads the ranges that the overview shows from its address. */
export function readOverviewQuery(request: Request): OverviewRange {
  return OverviewQuery.parse(Object.fromEntries(new URL(request.url).searchParams));
}
