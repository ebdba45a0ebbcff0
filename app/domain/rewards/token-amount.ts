/** The largest uint256. */
export const UINT256_MAX = 2n ** 256n - 1n;

/** The lengths are bounded, since the time to read a number grows with the square of its length. */
const WHOLE_TOKENS_PATTERN = /^(\d{1,78})(?:\.(\d{1,255}))?$/;

/**
 * Reads an amount of whole tokens exactly: nothing is rounded.
 * @param text plain decimal notation, such as `1000.5`
 * @param decimals of the token, 0 to 255
 * @returns base units; null when the text is not such a number, is finer than a base unit, or does
 *   not fit a uint256
 */
export function parseTokenAmount(text: string, decimals: number): bigint | null {
  const [matched, whole = "", fraction = ""] = WHOLE_TOKENS_PATTERN.exec(text) ?? [];
  if (matched === undefined || fraction.length > decimals) return null;
  const amountWei = BigInt(whole + fraction.padEnd(decimals, "0"));
  return amountWei <= UINT256_MAX ? amountWei : null;
}

/**
 * Writes base units as whole tokens, exactly and without trailing zeros: the inverse of
 * `parseTokenAmount`.
 * @param decimals of the token, 0 to 255
 */
export function formatTokenAmount(amountWei: bigint, decimals: number): string {
  const digits = amountWei.toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = trimZeros(digits.slice(digits.length - decimals));
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** Removes the zeros at the end of a number's decimals. */
export function trimZeros(decimals: string): string {
  let end = decimals.length;
  while (decimals[end - 1] === "0") end -= 1;
  return decimals.slice(0, end);
}

/**
 * Reads a whole decimal number that fits a uint256, such as an on-chain id. Returns null when the
 * text is not one.
 */
export function parseUint256(text: string): bigint | null {
  return text.includes(".") ? null : parseTokenAmount(text, 0);
}
