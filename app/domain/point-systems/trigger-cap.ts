/** The spans of time in which a cap counts. `ever` has no end. */
export const CAP_WINDOWS = ["daily", "weekly", "monthly", "ever"] as const;

export type CapWindow = (typeof CAP_WINDOWS)[number];

/** The most credits, and the most points, that a cap may allow. */
export const CAP_MAX = 1_000_000_000;

/** Limits what a wallet earns by a trigger within a window. At least one of the limits is set. */
export interface TriggerCap {
  readonly window: CapWindow;
  /** The IANA time zone whose midnights begin and end the windows. */
  readonly timeZone: string;
  /** The most credits; null for any number. */
  readonly times: number | null;
  /** The most points; null for any number. */
  readonly points: number | null;
}

const SPANS = {
  daily: "per day",
  weekly: "per week",
  monthly: "per month",
  ever: "ever",
} as const satisfies Record<CapWindow, string>;

/** Says a cap in words: a sentence for each of its limits. */
export function describeCap({ window, times, points }: TriggerCap): string[] {
  const say = (limit: number | null, one: string, many: string) =>
    limit === null
      ? []
      : `At most ${limit.toLocaleString("en")} ${limit === 1 ? one : many} ${SPANS[window]} for each wallet`;
  return [say(times, "time", "times"), say(points, "point", "points")].flat();
}
