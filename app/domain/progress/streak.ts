/** The most streaks of a point system. */
export const STREAKS_MAX = 5;

/** The most bonuses of a streak, and the longest length of one, in days. */
export const BONUSES_MAX = 10;
export const BONUS_DAYS_MAX = 1_000;

/** A bonus that a wallet earns when its days in a row reach a length. */
export interface StreakBonus {
  /** From 2 to `BONUS_DAYS_MAX`. */
  readonly days: number;
  /** The trigger whose points are credited. */
  readonly triggerKey: string;
}

/** The state of a bonus that a wallet reached: to be paid, paid, or the reason why it never is. */
export type BonusState = "due" | "paid" | "blacklisted" | "limit_reached" | "trigger_gone";

/** A wallet's days in a row. */
export interface WalletStreak {
  readonly key: string;
  readonly name: string;
  /** The days in a row up to today or yesterday; 0 when neither counts. */
  readonly current: number;
  /** The most days in a row so far. */
  readonly longest: number;
  /** The last day that counts, as `2026-11-22` in the streak's time zone; null for none. */
  readonly lastDay: string | null;
}
