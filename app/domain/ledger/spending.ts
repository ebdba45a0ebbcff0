import { isStorableText } from "../storable-text";

/** The most characters of a spend's reason. */
export const REASON_CHARACTERS_MAX = 200;

/** A wallet's points: all that it earned, what it spent of them, and the rest. */
export interface Balance {
  readonly earned: number;
  readonly spent: number;
  readonly balance: number;
}

/** Makes the balance of what was earned and spent. */
export function toBalance({ earned, spent }: Pick<Balance, "earned" | "spent">): Balance {
  return { earned, spent, balance: earned - spent };
}

/**
 * Checks whether text can be the reason of a spend: 1 to 200 characters as the database counts them, all of which it can
 * hold.
 */
export function isReason(text: unknown): text is string {
  if (typeof text !== "string" || text.trim() === "" || !isStorableText(text)) return false;
  return [...text].length <= REASON_CHARACTERS_MAX;
}
