const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;

/** The waits before the first retries. All later ones come every six hours. */
const FIRST_WAITS_S = [5, 30, 2 * MINUTE_S, 10 * MINUTE_S, HOUR_S];
const LATER_WAIT_S = 6 * HOUR_S;

/** An endpoint that has failed for this long is switched off, if all attempts of that time were made. */
export const GIVE_UP_AFTER_DAYS = 3;
/** The fewest failures by then: there are fewer where the service itself was off. */
export const GIVE_UP_AFTER_FAILURES = 16;

/** The days for which deliveries are kept. */
export const KEPT_DAYS = 30;

/** The hours for which traces of credits wait for a delivery. */
export const TRACES_KEPT_HOURS = 24;

/** The hours for which the former secret signs beside a new one. */
export const FORMER_SECRET_HOURS = 24;

/**
 * Returns the seconds between a failed attempt and the next one.
 * @param failures the failures since the last success, with this one
 */
export function getRetryWaitSeconds(failures: number): number {
  return FIRST_WAITS_S[failures - 1] ?? LATER_WAIT_S;
}
