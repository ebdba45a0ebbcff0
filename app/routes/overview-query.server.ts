import { z } from "zod";
import type { OverviewRange } from "../services/overview";
import { REFUSED_CALLS_HOURS, type RefusedCallsRange } from "../services/refused-calls";
import { STATISTICS_DAYS } from "../services/statistics";

const REFUSED_RANGES = Object.keys(REFUSED_CALLS_HOURS) as RefusedCallsRange[];

/** What the tabs' links set: what makes no sense counts as not set. */
const OverviewQuery = z.object({
  days: z.coerce
    .number()
    .pipe(z.literal([...STATISTICS_DAYS]))
    .catch(30),
  refused: z.enum(REFUSED_RANGES).catch("24h"),
});

/** Reads what the overview is to show from its address. */
export function readOverviewQuery(request: Request): OverviewRange {
  return OverviewQuery.parse(Object.fromEntries(new URL(request.url).searchParams));
}
