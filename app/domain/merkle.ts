import { SimpleMerkleTree } from "@openzeppelin/merkle-tree";
import { type Hex, keccak256 } from "viem";
import type { Address } from "./address";

/** What the campaign contract pays to an address on proof. */
export interface MerkleLeaf {
  readonly address: Address;
  readonly amountWei: bigint;
}

/** The tree of one bucket. */
export interface MerkleTree {
  readonly root: Hex;
  /**
   * @param index the leaf's place in its bucket, from 0
   * @returns `bytes32(index)`, which the contract marks as claimed, then the sibling hashes upwards
   */
  getProof(index: number): Hex[];
}

/** 128 marks of claimed leaves share a word with the bucket's accounting, so claims are cheapest. */
const BUCKET_SIZE_DEFAULT = 128;

/**
 * Cuts an airdrop into buckets, each a tree of its own: by ascending address, every bucket full but
 * the last.
 * @param leaves unique addresses, in any order
 * @param bucketSize leaves a bucket, 1 or more
 */
export function cutIntoBuckets<Leaf extends MerkleLeaf>(
  leaves: readonly Leaf[],
  bucketSize: number = BUCKET_SIZE_DEFAULT,
): Leaf[][] {
  const sorted = [...leaves].sort((a, b) => (a.address < b.address ? -1 : 1));
  return Array.from({ length: Math.ceil(sorted.length / bucketSize) }, (_, bucket) =>
    sorted.slice(bucket * bucketSize, (bucket + 1) * bucketSize),
  );
}

/**
 * Builds a bucket's tree. Each leaf is paired with its index, and a tree stands above the pairs, so
 * that any verifier of OpenZeppelin's standard trees of (address, uint256) accepts the proofs.
 * Source: OpenZeppelin MerkleProof.sol and merkle-tree, standard leaves and commutative nodes.
 * @param leaves one bucket, in its order; at least one
 */
export function buildMerkleTree(leaves: readonly MerkleLeaf[]): MerkleTree {
  const indices = leaves.map((_, index) => toWord(BigInt(index)));
  const pairs = leaves.map((leaf, index) => hashPair(indices[index] as Hex, hashLeaf(leaf)));
  const tree = SimpleMerkleTree.of(pairs);
  return {
    root: tree.root as Hex,
    getProof: (index) => [indices[index] as Hex, ...(tree.getProof(index) as Hex[])],
  };
}

/** keccak256(keccak256(abi.encode(address, amount))): twice, so that no leaf passes for a node. */
function hashLeaf({ address, amountWei }: MerkleLeaf): Hex {
  const encoded = toWord(BigInt(address)) + toWord(amountWei).slice(2);
  return keccak256(keccak256(encoded as Hex));
}

/** The lower of the two first, so that a proof need not say which side a sibling is on. */
function hashPair(a: Hex, b: Hex): Hex {
  return keccak256(a < b ? `${a}${b.slice(2)}` : (`${b}${a.slice(2)}` as Hex));
}

function toWord(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, "0")}`;
}
