import { type Address, parseAddress } from "../address";
import { CREDIT_POINTS_MAX } from "../ledger/points";
import type { ImportLayout } from "./import";

/**
 * The reasons why a row of an imported file is left out, in words that say which value was
 * expected.
 */
export const ROW_PROBLEMS = {
  column_missing: "The row has too few columns",
  address_malformed: "Not a wallet address: expected 0x and 40 hexadecimal digits",
  points_missing: "No points",
  points_malformed: "Points must be plain digits, such as 1000",
  points_negative: "Points cannot be negative",
  points_zero: "Points cannot be zero",
  points_too_large: "More than 1,000,000,000 points",
  sum_too_large: "The wallet's rows add up to more than 1,000,000,000 points",
  wallet_blacklisted: "The wallet is blacklisted",
  wallet_full: "The wallet's total would pass 9,007,199,254,740,991 points",
} as const;
export type RowProblem = keyof typeof ROW_PROBLEMS;

/** A row that can be credited, or the reason why it cannot. */
export type JudgedRow =
  | { readonly address: Address; readonly points: number; readonly problem: null }
  | { readonly problem: RowProblem };

const DIGITS = /^[0-9]+$/;

/**
 * Judges a row by itself. Only plain digits are points: "1,000", "1.000", "10.0" and "1e3" mean
 * different amounts to different people, and a guess would be credited.
 */
export function judgeRow(
  cells: readonly string[],
  { addressColumn, pointsColumn }: Pick<ImportLayout, "addressColumn" | "pointsColumn">,
): JudgedRow {
  const addressText = cells[addressColumn]?.trim();
  const pointsText = cells[pointsColumn]?.trim();
  if (addressText === undefined || pointsText === undefined) return { problem: "column_missing" };
  const address = parseAddress(addressText);
  if (!address) return { problem: "address_malformed" };
  if (pointsText === "") return { problem: "points_missing" };
  if (pointsText.startsWith("-") && DIGITS.test(pointsText.slice(1))) {
    return { problem: "points_negative" };
  }
  if (!DIGITS.test(pointsText)) return { problem: "points_malformed" };
  const points = Number(pointsText);
  if (points === 0) return { problem: "points_zero" };
  if (points > CREDIT_POINTS_MAX) return { problem: "points_too_large" };
  return { address, points, problem: null };
}
