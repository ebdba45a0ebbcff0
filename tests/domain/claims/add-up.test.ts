import fc from "fast-check";
import { expect, test } from "vitest";
import { addUpByToken } from "../../../app/domain/claims/add-up";

const share = (
  chainId: number,
  tokenAddress: string | null,
  amountWei: string,
  symbol = "USDC",
) => ({
  ...{ chainId, tokenAddress, amountWei },
  ...{ tokenDecimals: 6, tokenSymbol: symbol },
});
const sum = (amountWei: bigint, tokenSymbol = "USDC") => ({
  ...{ tokenDecimals: 6, tokenSymbol, amountWei },
});

test("one token is added up over chains, and others are kept apart", () => {
  expect(
    addUpByToken([share(1, "0xa", "5"), share(10, "0xb", "7"), share(10, null, "1", "ETH")]),
  ).toEqual([sum(12n), sum(1n, "ETH")]);
});

test("decimals tell tokens of one symbol apart", () => {
  const other = { ...share(10, "0xb", "7"), tokenDecimals: 18 };
  expect(addUpByToken([share(1, "0xa", "5"), other])).toEqual([
    sum(5n),
    { ...sum(7n), tokenDecimals: 18 },
  ]);
});

test("two tokens of a chain with one symbol are never added, on no chain", () => {
  expect(
    addUpByToken([
      share(1, "0xa", "5"),
      share(1, "0xb", "7"),
      share(10, "0xa", "2"),
      share(1, "0xa", "1"),
    ]),
  ).toEqual([sum(6n), sum(7n), sum(2n)]);
});

test("no base unit is lost, and no sum holds two tokens of a chain", () => {
  const shares = fc.array(
    fc.record({
      chainId: fc.constantFrom(1, 10),
      tokenAddress: fc.constantFrom("0xa", "0xb", null),
      tokenDecimals: fc.constantFrom(6, 18),
      tokenSymbol: fc.constantFrom("USDC", "ETH"),
      amountWei: fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String),
    }),
  );
  fc.assert(
    fc.property(shares, (given) => {
      const sums = addUpByToken(given);
      for (const tokenSymbol of ["USDC", "ETH"]) {
        const add = (list: readonly { tokenSymbol: string; amountWei: string | bigint }[]) =>
          list
            .filter((one) => one.tokenSymbol === tokenSymbol)
            .reduce((total, { amountWei }) => total + BigInt(amountWei), 0n);
        expect(add(sums)).toBe(add(given));
      }
      const tokens = new Set(
        given.map(({ tokenSymbol, tokenDecimals, chainId, tokenAddress }) =>
          [chainId, tokenDecimals, tokenSymbol, tokenAddress].join(" "),
        ),
      );
      const perChain = [1, 10].map(
        (chain) => [...tokens].filter((one) => one.startsWith(`${chain} `)).length,
      );
      expect(sums.length).toBeGreaterThanOrEqual(Math.max(...perChain));
    }),
  );
});
