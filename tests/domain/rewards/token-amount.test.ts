import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  formatTokenAmount,
  parseTokenAmount,
  parseUint256,
  UINT256_MAX,
} from "../../../app/domain/rewards/token-amount";

describe("parseTokenAmount", () => {
  test.each([
    ["1000.5", 18, 1_000_500_000_000_000_000_000n],
    ["0.000001", 6, 1n],
    ["1", 0, 1n],
    ["0", 18, 0n],
    ["007.50", 2, 750n],
    [`0.${"0".repeat(254)}1`, 255, 1n],
    [UINT256_MAX.toString(), 0, UINT256_MAX],
  ])("%s with %i decimals", (text, decimals, amountWei) => {
    expect(parseTokenAmount(text, decimals)).toBe(amountWei);
  });

  test.each([
    ["finer than a base unit", "0.0000001", 6],
    ["a fraction of what has none", "1.5", 0],
    ["negative", "-1", 18],
    ["a sign", "+1", 18],
    ["an exponent", "1e18", 18],
    ["hexadecimal", "0x10", 18],
    ["thousands", "1,000", 18],
    ["spaces", " 1", 18],
    ["a newline", "1\n", 18],
    ["no digits before the point", ".5", 18],
    ["no digits after the point", "5.", 18],
    ["nothing", "", 18],
    ["not a number", "NaN", 18],
    ["other scripts' digits", "１", 18],
    ["over a uint256", (UINT256_MAX + 1n).toString(), 0],
    ["over a uint256 by its decimals", "1", 78],
  ])("refuses %s", (_, text, decimals) => {
    expect(parseTokenAmount(text, decimals)).toBeNull();
  });
});

test("formatTokenAmount is the inverse of parseTokenAmount, without needless zeros", () => {
  expect(formatTokenAmount(1_000_500_000_000_000_000_000n, 18)).toBe("1000.5");
  expect(formatTokenAmount(0n, 18)).toBe("0");
  expect(formatTokenAmount(100n, 0)).toBe("100");
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: UINT256_MAX }),
      fc.integer({ min: 0, max: 255 }),
      (amountWei, decimals) => {
        const text = formatTokenAmount(amountWei, decimals);
        expect(parseTokenAmount(text, decimals)).toBe(amountWei);
        expect(text).not.toMatch(/\.\d*0$|\.$|^0\d/);
      },
    ),
  );
});

test("parseUint256 takes whole decimal numbers up to 2^256-1", () => {
  expect(parseUint256("7")).toBe(7n);
  expect(parseUint256(UINT256_MAX.toString())).toBe(UINT256_MAX);
  for (const text of ["", "-1", "1.0", "0x7", (UINT256_MAX + 1n).toString()]) {
    expect(parseUint256(text)).toBeNull();
  }
});
