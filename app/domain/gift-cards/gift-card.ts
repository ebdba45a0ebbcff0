/** More tiers than anybody can tell apart. */
export const GIFT_CARD_TIERS_MAX = 20;

/** Cards of a reward. `app/http/failures.ts` says so too. */
export const GIFT_CARDS_MAX = 250_000;

/** Lines that are taken at once. `app/http/failures.ts` says so too. */
export const GIFT_CODE_LINES_MAX = 50_000;

/** What a code may be long. */
export const GIFT_CODE_CHARACTERS_MAX = 1_000;

/** Minutes within which a holder signs what they were asked to. */
export const REVEAL_MINUTES = 5;

/**
 * Who gets a card when there are fewer than wallets. `everyone`: nobody, until there are enough.
 * `most-points`: those with the most points in each tier.
 */
export const DISTRIBUTION_RULES = ["everyone", "most-points"] as const;
export type DistributionRule = (typeof DISTRIBUTION_RULES)[number];

/** A tier as an operator writes it. */
export interface GiftCardTier {
  readonly label: string;
  readonly minPoints: number;
}

/** Why a line of an upload is no code. */
export const CODE_PROBLEMS = {
  too_long: "is longer than 1,000 characters",
  control_character: "has a control character",
  several_columns: "has more than one column",
} as const;

export type CodeProblem = keyof typeof CODE_PROBLEMS;
