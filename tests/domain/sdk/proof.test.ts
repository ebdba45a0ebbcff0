import { StandardMerkleTree } from "@openzeppelin/merkle-tree";
import fc from "fast-check";
import { getAddress, type Hex, pad, toHex } from "viem";
import { expect, test } from "vitest";
import { computeRoot, verifyProof } from "../../../sdk/src/proof";

const UINT256_MAX = 2n ** 256n - 1n;
const trees = fc
  .uniqueArray(fc.bigInt(1n, 2n ** 160n - 1n), { minLength: 1, maxLength: 12 })
  .chain((wallets) =>
    fc
      .array(fc.bigInt(0n, UINT256_MAX), { minLength: wallets.length, maxLength: wallets.length })
      .map((amounts) =>
        wallets.map((wallet, i): [Hex, bigint] => [
          pad(toHex(wallet), { size: 20 }),
          amounts[i] ?? 0n,
        ]),
      ),
  );

test("the proof of each share leads to the tree's root, in any letter case", () => {
  fc.assert(
    fc.property(trees, (shares) => {
      const tree = StandardMerkleTree.of(shares, ["address", "uint256"]);
      for (const [i, [address, amount]] of tree.entries()) {
        const merkleProof = tree.getProof(i);
        expect(computeRoot({ address, amount, merkleProof })).toBe(tree.root);
        const share = { address: getAddress(address), amount: String(amount), merkleProof };
        expect(verifyProof(share, tree.root.toUpperCase().replace("0X", "0x"))).toBe(true);
        expect(verifyProof(share, [`0x${"0".repeat(64)}`, tree.root])).toBe(true);
        expect(verifyProof({ ...share, amount: amount ^ 1n }, tree.root)).toBe(false);
        expect(verifyProof({ ...share, address: `0x${"0".repeat(40)}` }, tree.root)).toBe(false);
        expect(verifyProof({ ...share, merkleProof: [...merkleProof, tree.root] }, tree.root)).toBe(
          false,
        );
        expect(verifyProof(share, [])).toBe(false);
      }
    }),
    { numRuns: 20 },
  );
});

test.each([
  ["an address of another length", { address: "0x12" }],
  ["an address that is none", { address: `0x${"g".repeat(40)}` }],
  ["an amount below zero", { amount: "-1" }],
  ["an amount over uint256", { amount: UINT256_MAX + 1n }],
  ["an amount that is no number", { amount: "1.5" }],
  ["a hash of another length", { merkleProof: ["0x00"] }],
])("%s throws, and is no false", (_, part) => {
  const share = { address: `0x${"1".repeat(40)}`, amount: "1", merkleProof: [], ...part };
  expect(() => verifyProof(share, `0x${"0".repeat(64)}`)).toThrow();
});
