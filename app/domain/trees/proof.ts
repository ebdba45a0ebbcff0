import { concat, encodeAbiParameters, type Hex, keccak256 } from "viem";
import type { Address } from "../address";

// The check of a proof, in the browser that reads it. Trees are built in ./merkle.

const WORDS = [{ type: "address" }, { type: "uint256" }] as const;

/** Hashes an account and an amount as the campaign contract does. */
export function hashLeaf(address: Address, amountWei: bigint): Hex {
  // Hashed twice, so that a leaf cannot pass as a node.
  return keccak256(keccak256(encodeAbiParameters(WORDS, [address, amountWei])));
}

/**
 * Computes the root of the tree that a proof belongs to.
 * Source: OpenZeppelin MerkleProof.sol, processProof with commutative nodes.
 */
export function computeRoot(leaf: Hex, proof: readonly Hex[]): Hex {
  return proof.reduce(
    (node, sibling) => keccak256(concat(node < sibling ? [node, sibling] : [sibling, node])),
    leaf,
  );
}
