import { createKeccak } from "hash-wasm";
import type { Hex } from "viem";
import type { Address } from "../address";

/** A leaf: an address, and the amount that the campaign contract pays to it on proof. */
export interface MerkleLeaf {
  readonly address: Address;
  readonly amountWei: bigint;
}

/** The merkle tree of one bucket. */
export interface MerkleTree {
  readonly root: Hex;
  /**
   * @param index the leaf's place in its bucket, from 0
   * @returns `bytes32(index)`, which the contract marks as claimed, then the sibling hashes upwards
   */
  getProof(index: number): Hex[];
}

/** A tree's hashes, in a form that one thread can hand to another. */
export interface HashedTree {
  /** All nodes, the root first. */
  readonly nodes: Uint8Array<ArrayBuffer>;
  /** The index of each leaf's node. */
  readonly places: Uint32Array<ArrayBuffer>;
}

/**
 * The default bucket size. 128 marks of claimed leaves share a storage word with the bucket's
 * accounting, so claims are cheapest.
 */
export const BUCKET_SIZE_DEFAULT = 128;
const WORD_BYTES = 32;

// Loaded with the module, so that trees are built without waiting.
const keccak = await createKeccak(256);

/**
 * Cuts an airdrop into buckets, each with its own tree: by ascending address, every bucket full but
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
 * that any verifier of OpenZeppelin's standard trees of (address, uint256) accepts the proofs. The
 * nodes lie in one buffer, a heap as in OpenZeppelin's library: the root first, node i above nodes
 * 2i + 1 and 2i + 2, the pairs last, descending.
 * Source: OpenZeppelin MerkleProof.sol and merkle-tree, standard leaves and commutative nodes.
 * @param leaves one bucket, in its order; at least one
 */
export function buildMerkleTree(leaves: readonly MerkleLeaf[]): MerkleTree {
  return openMerkleTree(hashMerkleTree(leaves));
}

/** Computes a tree's hashes: the slow part of `buildMerkleTree`, some microseconds a leaf. */
export function hashMerkleTree(leaves: readonly MerkleLeaf[]): HashedTree {
  const nodes = Buffer.alloc((2 * leaves.length - 1) * WORD_BYTES);
  const places = placePairs(nodes, hashPairs(leaves));
  const both = Buffer.alloc(2 * WORD_BYTES);
  for (let node = leaves.length - 2; node >= 0; node -= 1) {
    const start = (2 * node + 1) * WORD_BYTES;
    const middle = start + WORD_BYTES;
    hashInOrder(both, nodes.subarray(start, middle), nodes.subarray(middle, middle + WORD_BYTES));
    nodes.set(both.subarray(0, WORD_BYTES), node * WORD_BYTES);
  }
  return { nodes, places };
}

/** Opens a hashed tree: the fast part, which hashes nothing. */
export function openMerkleTree(hashed: HashedTree): MerkleTree {
  const { buffer, byteOffset, byteLength } = hashed.nodes;
  const nodes = Buffer.from(buffer, byteOffset, byteLength);
  return {
    root: readWord(nodes, 0),
    getProof(index) {
      const proof = [toHex(writeIndex(Buffer.alloc(WORD_BYTES), index))];
      for (let node = hashed.places[index] as number; node > 0; node = (node - 1) >> 1) {
        proof.push(readWord(nodes, node % 2 === 1 ? node + 1 : node - 1));
      }
      return proof;
    },
  };
}

/** Computes keccak256(index, leaf) of each leaf, the lower of the two first. */
function hashPairs(leaves: readonly MerkleLeaf[]): Buffer {
  const pairs = Buffer.alloc(leaves.length * WORD_BYTES);
  const encoded = Buffer.alloc(2 * WORD_BYTES);
  const both = Buffer.alloc(2 * WORD_BYTES);
  const position = Buffer.alloc(WORD_BYTES);
  leaves.forEach(({ address, amountWei }, index) => {
    encoded.write(address.slice(2), 12, "hex");
    encoded.write(amountWei.toString(16).padStart(64, "0"), WORD_BYTES, "hex");
    // Hashed twice, so that a leaf cannot pass as a node.
    hashInOrder(both, writeIndex(position, index), hash(hash(encoded)));
    pairs.set(both.subarray(0, WORD_BYTES), index * WORD_BYTES);
  });
  return pairs;
}

/**
 * Puts the pairs at the end of the heap, in descending order.
 * @returns the node of each leaf
 */
function placePairs(nodes: Buffer, pairs: Buffer): Uint32Array<ArrayBuffer> {
  const count = pairs.length / WORD_BYTES;
  // The first 48 bits tell nearly all hashes apart, and numbers compare much faster.
  const heads = Float64Array.from({ length: count }, (_, i) => pairs.readUIntBE(i * WORD_BYTES, 6));
  const order = Uint32Array.from({ length: count }, (_, i) => i).sort(
    (a, b) =>
      (heads[a] as number) - (heads[b] as number) ||
      Buffer.compare(sliceWord(pairs, a), sliceWord(pairs, b)),
  );
  const places = new Uint32Array(count);
  order.forEach((leaf, rank) => {
    const node = 2 * count - 2 - rank;
    places[leaf] = node;
    nodes.set(sliceWord(pairs, leaf), node * WORD_BYTES);
  });
  return places;
}

/** Writes keccak256 of two words, the lower one first, to the start of `both`. */
function hashInOrder(both: Buffer, a: Uint8Array, b: Uint8Array): void {
  const isOrdered = Buffer.compare(a, b) <= 0;
  both.set(isOrdered ? a : b, 0);
  both.set(isOrdered ? b : a, WORD_BYTES);
  both.set(hash(both), 0);
}

function hash(bytes: Uint8Array): Uint8Array {
  return keccak.init().update(bytes).digest("binary");
}

function writeIndex(word: Buffer, index: number): Buffer {
  word.writeUInt32BE(index, WORD_BYTES - 4);
  return word;
}

function readWord(nodes: Buffer, node: number): Hex {
  return toHex(sliceWord(nodes, node));
}

function sliceWord(words: Buffer, at: number): Buffer {
  return words.subarray(at * WORD_BYTES, (at + 1) * WORD_BYTES);
}

function toHex(bytes: Buffer): Hex {
  return `0x${bytes.toString("hex")}`;
}
