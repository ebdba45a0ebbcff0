import { concat, encodeAbiParameters, type Hex, keccak256 } from "viem";
import type { Address } from "../address";

// A proof, checked where it is read: in a browser. Trees are built in ./merkle.

const WORDS = [{ type: "address" }, { type: "uint256" }] as const;

/** What the campaign contract makes of an account and an amount. */
export function hashLeaf(address: Address, amountWei: bigint): Hex {
  // Hashed twice, so that no leaf passes for a node.
  return keccak256(keccak256(encodeAbiParameters(WORDS, [address, amountWei])));
}

/**
 * The root of the tree that a proof belongs to.
 * Source: OpenZeppelin MerkleProof.sol, processProof with commutative nodes.
 */
export function computeRoot(leaf: Hex, proof: readonly Hex[]): Hex {
  return proof.reduce(
    (node, sibling) => keccak256(concat(node < sibling ? [node, sibling] : [sibling, node])),
    leaf,
  );
}
