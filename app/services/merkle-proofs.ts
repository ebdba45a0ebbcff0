import { and, isNotNull, type SQL, sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import type { Hex } from "viem";
import { withDatabase } from "../db/client";
import { distributions, merkleBuckets } from "../db/schema/rewards";
import { buildMerkleTree, type MerkleTree } from "../domain/merkle";
import { type LeafPlace, listBucketLeaves, type RewardKey } from "./merkle-buckets";

// No proof is stored: a bucket's rows give its tree again.

/** A leaf of a tree whose root is known. */
export interface ProvableLeaf extends RewardKey, LeafPlace {
  readonly root: Hex;
}

interface CachedTree {
  readonly tree: MerkleTree;
  readonly leaves: number;
}

/** Leaves of all trees that are kept, together: those of one tree of the largest size. */
const KEPT_LEAVES_MAX = 1_048_576;
/** Trees that are kept, however small. */
const KEPT_TREES_MAX = 10_000;

/**
 * Whether a bucket's proofs are given out, as a condition on its row: its tree is built, and its
 * tokens are in the campaign contract. Whoever asks whether there is a proof asks this.
 */
export function isProvable(
  bucket: Pick<typeof merkleBuckets, "root" | "fundedAt">,
): SQL | undefined {
  return and(isNotNull(bucket.root), isNotNull(bucket.fundedAt));
}

/**
 * Whether a share counts, as a condition on its row in `distributions`: that of the first round does;
 * those of later ones once their tokens are in the campaign contract, since they may never be.
 */
export function isShareSettled(): SQL {
  return sql`(${distributions.round} = 0 or exists (
    select 1 from ${merkleBuckets}
    where ${merkleBuckets.pointSystemId} = ${distributions.pointSystemId}
      and ${merkleBuckets.rewardId} = ${distributions.rewardId}
      and ${merkleBuckets.bucket} = ${distributions.bucket} and ${isNotNull(merkleBuckets.fundedAt)}
  ))`;
}

/** By bucket and root: a bucket that is built anew is another one. */
const trees = new LRUCache<string, CachedTree, ProvableLeaf>({
  max: KEPT_TREES_MAX,
  maxSize: KEPT_LEAVES_MAX,
  sizeCalculation: ({ leaves }) => leaves,
  // Whoever asks for a tree that is being built waits for that one, also when it is not kept.
  ignoreFetchAbort: true,
  fetchMethod: (_key, _stale, { context }) => buildTree(context),
});

/**
 * The proof of a leaf, as the campaign contract takes it.
 * @throws {Error} when the database's rows do not give the tree whose root they name
 */
export async function getMerkleProof(leaf: ProvableLeaf): Promise<Hex[]> {
  const { pointSystemId, rewardId, bucket, root, leafIndex } = leaf;
  const key = `${pointSystemId} ${rewardId} ${bucket} ${root}`;
  const { tree } = await trees.forceFetch(key, { context: leaf });
  return tree.getProof(leafIndex);
}

async function buildTree({ root, bucket, ...reward }: ProvableLeaf): Promise<CachedTree> {
  const leaves = await withDatabase((db) => listBucketLeaves(db, reward, bucket));
  const tree = buildMerkleTree(leaves);
  if (tree.root !== root) {
    throw new Error(`Bucket ${bucket} of the reward ${reward.rewardId} does not give its root`);
  }
  return { tree, leaves: leaves.length };
}
