import { z } from "zod";
import { REFUSED_CALLS_RANGES, STATISTICS_DAYS } from "../../../domain/insights/overview-range";
import type { OverviewRange } from "../../../services/insights/overview";

/** What the tabs' links set: what makes no sense counts as not set. */
const OverviewQuery = z.object({
  days: z.coerce
    .number()
    .pipe(z.literal([...STATISTICS_DAYS]))
    .catch(30),
  refused: z.enum(REFUSED_CALLS_RANGES).catch("24h"),
});

/** Reads what the overview is to show from its address. */
export function readOverviewQuery(request: Request): OverviewRange {
  return OverviewQuery.parse(Object.fromEntries(new URL(request.url).searchParams));
}
