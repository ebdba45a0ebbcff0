import { SimpleMerkleTree, StandardMerkleTree } from "@openzeppelin/merkle-tree";
import fc from "fast-check";
import { encodeAbiParameters, type Hex, keccak256, toHex } from "viem";
import { describe, expect, test } from "vitest";
import type { Address } from "../../../app/domain/address";
import { buildMerkleTree, cutIntoBuckets, type MerkleLeaf } from "../../../app/domain/trees/merkle";

const address = (n: number): Address => `0x${n.toString(16).padStart(40, "0")}`;

/**
 * Verifies a proof with an OpenZeppelin verifier of (address, uint256), as on chain or off chain.
 */
function isAccepted(root: string, { address, amountWei }: MerkleLeaf, proof: string[]): boolean {
  const types = ["address", "uint256"];
  return StandardMerkleTree.verify(root, types, [address, amountWei.toString()], proof);
}

const anyLeaves = fc.uniqueArray(
  fc.record({
    address: fc
      .array(fc.integer({ min: 0, max: 255 }), { minLength: 20, maxLength: 20 })
      .map((bytes): Address => `0x${Buffer.from(bytes).toString("hex")}`),
    amountWei: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  }),
  { selector: (leaf) => leaf.address, minLength: 1, maxLength: 40 },
);

/** Hashes a leaf with its index, by code that the service does not use. */
function toPair({ address, amountWei }: MerkleLeaf, index: number): Hex {
  const types = [{ type: "address" }, { type: "uint256" }];
  const leaf = keccak256(keccak256(encodeAbiParameters(types, [address, amountWei])));
  const position = toHex(index, { size: 32 });
  return keccak256(
    position < leaf ? `${position}${leaf.slice(2)}` : (`${leaf}${position.slice(2)}` as Hex),
  );
}

/** Checks that OpenZeppelin's own tree over the same pairs is equal. */
function expectSameAsOpenZeppelin(leaves: readonly MerkleLeaf[]): void {
  const theirs = SimpleMerkleTree.of(leaves.map(toPair));
  const ours = buildMerkleTree(leaves);
  expect(ours.root).toBe(theirs.root);
  leaves.forEach((_, index) => {
    expect(ours.getProof(index).slice(1)).toEqual(theirs.getProof(index));
  });
}

describe("buildMerkleTree", () => {
  test("is OpenZeppelin's tree above the pairs, root and proofs, for any leaves", () => {
    fc.assert(fc.property(anyLeaves, expectSameAsOpenZeppelin), { numRuns: 50 });
  });

  test.each([1, 2, 3, 127, 128, 129, 1_000])("is OpenZeppelin's tree for %i leaves", (count) => {
    expectSameAsOpenZeppelin(
      Array.from({ length: count }, (_, i) => ({ address: address(i), amountWei: BigInt(i) })),
    );
  });

  test("OpenZeppelin accepts every proof", () => {
    fc.assert(
      fc.property(anyLeaves, (leaves) => {
        const { root, getProof } = buildMerkleTree(leaves);
        leaves.forEach((leaf, i) => {
          expect(isAccepted(root, leaf, getProof(i))).toBe(true);
        });
      }),
      { numRuns: 25 },
    );
  });

  test.each([1, 2, 3, 127, 128, 129])("OpenZeppelin accepts every proof of %i leaves", (count) => {
    const leaves = Array.from({ length: count }, (_, i) => ({
      address: address(i * 31 + 1),
      amountWei: 10n ** 18n + BigInt(i),
    }));
    const { root, getProof } = buildMerkleTree(leaves);
    leaves.forEach((leaf, i) => {
      expect(isAccepted(root, leaf, getProof(i))).toBe(true);
    });
  });

  test("a proof begins with the leaf's index as bytes32: what the contract marks as claimed", () => {
    const leaves = [1, 2, 3].map((n) => ({ address: address(n), amountWei: BigInt(n) }));
    const { getProof } = buildMerkleTree(leaves);
    expect([0, 1, 2].map((i) => getProof(i)[0])).toEqual([
      `0x${"0".repeat(64)}`,
      `0x${"0".repeat(63)}1`,
      `0x${"0".repeat(63)}2`,
    ]);
  });

  test("a proof is good for its own address, amount and tree only", () => {
    const leaves = [1, 2, 3, 4].map((n) => ({ address: address(n), amountWei: 100n }));
    const { root, getProof } = buildMerkleTree(leaves);
    const other = buildMerkleTree(leaves.slice(1));
    const proof = getProof(0);
    expect(isAccepted(root, { address: address(1), amountWei: 101n }, proof)).toBe(false);
    expect(isAccepted(root, { address: address(2), amountWei: 100n }, proof)).toBe(false);
    expect(isAccepted(other.root, { address: address(1), amountWei: 100n }, proof)).toBe(false);
  });

  test("the root of a known tree never changes: a change would strand airdrops on chain", () => {
    const leaves = [1n, 2n, 3n].map((n) => ({
      address: address(Number(n)),
      amountWei: n * 10n ** 18n,
    }));
    // The root with which the campaign contract's prototype was tested.
    expect(buildMerkleTree(leaves).root).toBe(
      "0x176f687dada059eb160db32db34fd3378f30833733eb26b08d4c97b55de4603d",
    );
  });
});

describe("cutIntoBuckets", () => {
  const leaves = [5, 3, 1, 4, 2].map((n) => ({ address: address(n), amountWei: BigInt(n) }));

  test("cuts by ascending address, the last bucket taking what is left", () => {
    const buckets = cutIntoBuckets(leaves, 2);
    expect(buckets.map((bucket) => bucket.map((leaf) => Number(leaf.amountWei)))).toEqual([
      [1, 2],
      [3, 4],
      [5],
    ]);
  });

  test("128 leaves a bucket unless told otherwise; no leaves, no buckets", () => {
    const many = Array.from({ length: 300 }, (_, i) => ({ address: address(i), amountWei: 1n }));
    expect(cutIntoBuckets(many).map((bucket) => bucket.length)).toEqual([128, 128, 44]);
    expect(cutIntoBuckets([])).toEqual([]);
  });
});
