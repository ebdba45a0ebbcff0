import { expect, test } from "vitest";
import type { Address } from "../../../app/domain/address";
import { buildMerkleTree } from "../../../app/domain/trees/merkle";
import { computeRoot, hashLeaf } from "../../../app/domain/trees/proof";

test("what the browser computes is the root that was built, and another one for any other amount", () => {
  const leaves = Array.from({ length: 7 }, (_, i) => ({
    address: `0x${String(i + 1).repeat(40)}` as Address,
    amountWei: 10n ** 18n * BigInt(i + 1),
  }));
  const tree = buildMerkleTree(leaves);
  leaves.forEach(({ address, amountWei }, i) => {
    const proof = tree.getProof(i);
    expect(computeRoot(hashLeaf(address, amountWei), proof)).toBe(tree.root);
    expect(computeRoot(hashLeaf(address, amountWei + 1n), proof)).not.toBe(tree.root);
  });
});
