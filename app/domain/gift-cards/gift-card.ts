/** The most tiers of a reward: more than people can tell apart. */
export const GIFT_CARD_TIERS_MAX = 20;

/** The most cards of a reward. A message in `app/http/failures.ts` repeats the number. */
export const GIFT_CARDS_MAX = 250_000;

/**
 * The most lines that are taken at once. A message in `app/http/failures.ts` repeats the number.
 */
export const GIFT_CODE_LINES_MAX = 50_000;

/** The longest code, in characters. */
export const GIFT_CODE_CHARACTERS_MAX = 1_000;

/** The time within which a holder has to sign, in minutes. */
export const REVEAL_MINUTES = 5;

/**
 * The rule for a tier that has fewer cards than wallets. `everyone`: no wallet gets a card until
 * there are enough. `most-points`: the wallets with the most points in each tier get one.
 */
export const DISTRIBUTION_RULES = ["everyone", "most-points"] as const;
export type DistributionRule = (typeof DISTRIBUTION_RULES)[number];

/** A tier as an operator writes it. */
export interface GiftCardTier {
  readonly label: string;
  readonly minPoints: number;
}

/** The reasons why a line of an upload is not a code. */
export const CODE_PROBLEMS = {
  too_long: "is longer than 1,000 characters",
  control_character: "has a control character",
  several_columns: "has more than one column",
} as const;

export type CodeProblem = keyof typeof CODE_PROBLEMS;
