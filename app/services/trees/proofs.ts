import { and, eq, gte, isNotNull, type SQL, sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import type { Hex } from "viem";
import { getDatabaseOptions, withDatabase } from "../../db/client";
import { distributions, merkleBuckets } from "../../db/schema/rewards";
import { createDeadline } from "../../domain/deadline";
import { Failure } from "../../domain/failure";
import {
  buildMerkleTree,
  type HashedTree,
  type MerkleTree,
  openMerkleTree,
} from "../../domain/trees/merkle";
import { DATABASE_DEADLINE_MS } from "../runtime/deadlines";
import { createTurns } from "../runtime/limiter";
import { runInThread } from "../runtime/threads";
import { type LeafPlace, listBucketLeaves, type RewardKey } from "./buckets";

// No proof is stored: a bucket's rows give its tree again.

/** A leaf of a tree whose root is known. */
export interface ProvableLeaf extends RewardKey, LeafPlace {
  readonly root: Hex;
}

interface CachedTree {
  readonly tree: MerkleTree;
  readonly leaves: number;
}

/** A larger tree would keep all other callers waiting: it is built in a thread. */
const LEAVES_HERE_MAX = 8_192;
const THREAD_MS_MAX = 120_000;
/** Each may need some hundred MB. */
const takeTurn = createTurns({ atOnceMax: 1, waitingMax: 16, waitMs: THREAD_MS_MAX });

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
 * @throws {Failure} `service_unavailable` while a large tree is being built, which goes on
 * @throws {Error} when the database's rows do not give the tree whose root they name
 */
export async function getMerkleProof(leaf: ProvableLeaf): Promise<Hex[]> {
  const { pointSystemId, rewardId, bucket, root, leafIndex } = leaf;
  const key = `${pointSystemId} ${rewardId} ${bucket} ${root}`;
  const { tree } = await waitBriefly(trees.forceFetch(key, { context: leaf }));
  return tree.getProof(leafIndex);
}

/** As long as for the database, so that the caller has an answer in time. */
async function waitBriefly<Value>(work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await Promise.race([
      work,
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          work.catch(() => {}); // answered already: whoever asks next builds it again
          reject(new Failure("service_unavailable"));
        }, DATABASE_DEADLINE_MS);
      }),
    ]);
  } finally {
    clearTimeout(timer);
  }
}

async function buildTree({ root, bucket, ...reward }: ProvableLeaf): Promise<CachedTree> {
  const built = (await isLarge(reward, bucket))
    ? await takeTurn(() => buildInThread(reward, bucket))
    : await buildHere(reward, bucket);
  if (built.tree.root !== root) {
    throw new Error(`Bucket ${bucket} of the reward ${reward.rewardId} does not give its root`);
  }
  return built;
}

async function isLarge({ pointSystemId, rewardId }: RewardKey, bucket: number): Promise<boolean> {
  const [beyond] = await withDatabase((db) =>
    db
      .select({ leafIndex: distributions.leafIndex })
      .from(distributions)
      .where(
        and(
          eq(distributions.pointSystemId, pointSystemId),
          eq(distributions.rewardId, rewardId),
          eq(distributions.bucket, bucket),
          gte(distributions.leafIndex, LEAVES_HERE_MAX),
        ),
      )
      .limit(1),
  );
  return beyond !== undefined;
}

async function buildHere(reward: RewardKey, bucket: number): Promise<CachedTree> {
  const leaves = await withDatabase((db) => listBucketLeaves(db, reward, bucket));
  return { tree: buildMerkleTree(leaves), leaves: leaves.length };
}

async function buildInThread(
  { pointSystemId, rewardId }: RewardKey,
  bucket: number,
): Promise<CachedTree> {
  const reward = { pointSystemId, rewardId };
  const task = { reward, bucket, databaseOptions: getDatabaseOptions() };
  using signal = createDeadline(THREAD_MS_MAX);
  const hashed = (await runInThread("trees/tree-thread", task, signal)) as HashedTree;
  return { tree: openMerkleTree(hashed), leaves: hashed.places.length };
}
