/**
 * Every number that the score depends on. A change of any of them needs a new version: scores of an
 * older version count as expired.
 */
export const SCORE_RULES = {
  algorithmVersion: 1,
  /** The age in days at which its factor reaches 1. */
  fullAgeDays: 1_460,
  fullTransactions: 2_000,
  ensBonus: 5,
  multichainBonus: 3,
  multichainFrom: 3,
  rewardsBonusMax: 10,
  recencyPenalty: -5,
  /** The last day without the recency penalty. */
  recentDays: 180,
  humanity: {
    penaltyMax: 30,
    timesMax: 1_000,
    gapsMin: 30,
    daysMin: 7,
    /** The number of gaps that are no evidence at all, and how many more are full evidence. */
    evidenceFrom: 20,
    evidenceOver: 80,
    regularity: {
      weight: 12,
      burstiness: [0.2, 0.7],
      repeated: [0.3, 0.7],
      gapMinSeconds: 60,
      gapsMin: 20,
      widthMinSeconds: 2,
      widthShare: 0.02,
    },
    sleeplessness: {
      weight: 10,
      slotsMin: 72,
      daysMin: 14,
      quietShare: 0.05,
      restHours: 5,
      overHours: 3,
    },
    clock: { weight: 8, share: [0.15, 0.5] },
    bursts: { weight: 5, windowSeconds: 600, transactionsMin: 20, share: [0.2, 0.8] },
  },
  bot: {
    penaltyMax: 30,
    /** The sum of weights that is full evidence. */
    fullWeight: 3,
    /** The age in days from which an operator's blacklist counts. */
    operatorAgeDaysMin: 30,
    operatorWalletsMin: 25,
    blacklistedShareMax: 0.5,
    weights: { grave: 1, unclear: 0.6, none: 0 },
    /** The words to look for in a reason, as a regular expression of PostgreSQL. */
    graveWords: "(^|[^a-z])(bots?|sybils?|fraud|fraudulent)([^a-z]|$)",
    harmlessWords: "(^|[^a-z])(staff|tests?)([^a-z]|$)",
  },
} as const;
