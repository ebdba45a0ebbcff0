/** The ranges that an overview's charts can show, in days. */
export const STATISTICS_DAYS = [7, 30, 90] as const;

export type StatisticsDays = (typeof STATISTICS_DAYS)[number];

/** The ranges of the refused calls that an overview can show, in hours. */
export const REFUSED_CALLS_HOURS = { "24h": 24, "7d": 7 * 24, "30d": 30 * 24 } as const;

export type RefusedCallsRange = keyof typeof REFUSED_CALLS_HOURS;

export const REFUSED_CALLS_RANGES = Object.keys(REFUSED_CALLS_HOURS) as RefusedCallsRange[];
