import { type Address, parseAddress } from "../address";
import { parseIsoMoment } from "../iso-moment";

/** A payout of a wallet's share by hand, outside any campaign contract. */
export interface Payout {
  readonly address: Address;
  /** The operator's reference: the transaction of another chain, or an order's number. */
  readonly reference: string;
  readonly paidAt: Date;
}

/** The values of rows that name none. */
export interface PayoutDefaults {
  readonly reference: string | null;
  readonly paidAt: Date;
}

/** The reasons why a row cannot be used. */
export const PAYOUT_PROBLEMS = {
  address_malformed: "not a wallet address",
  reference_missing: "no reference",
  reference_malformed: "the reference is longer than 200 characters or not plain text",
  time_malformed: "the time is not an ISO 8601 date, or in the future",
  repeated: "the wallet is listed twice",
  no_share: "the wallet has no share in this campaign",
  paid_otherwise: "the wallet is marked as paid with another reference",
} as const;
export type PayoutProblem = keyof typeof PAYOUT_PROBLEMS;

export const PAYOUT_REFERENCE_LENGTH_MAX = 200;

/** Checks a reference: one line of text. */
export function isPayoutReference(text: string): boolean {
  return text.length <= PAYOUT_REFERENCE_LENGTH_MAX && /^\P{Cc}+$/u.test(text);
}

/**
 * Reads a row of a file: address, reference, time. The last two may be left out where the defaults
 * have them.
 * @param now the end of the times that a payout can have
 */
export function parsePayoutRow(
  cells: readonly string[],
  defaults: PayoutDefaults,
  now: Date,
): Payout | PayoutProblem {
  const [addressText = "", referenceText = "", timeText = ""] = cells.map((cell) => cell.trim());
  const address = parseAddress(addressText);
  if (!address) return "address_malformed";
  const reference = referenceText || defaults.reference;
  if (reference === null) return "reference_missing";
  if (!isPayoutReference(reference)) return "reference_malformed";
  const paidAt = timeText === "" ? defaults.paidAt : parseIsoMoment(timeText);
  if (!paidAt || paidAt.getUTCFullYear() < 1970 || paidAt > now) return "time_malformed";
  return { address, reference, paidAt };
}
