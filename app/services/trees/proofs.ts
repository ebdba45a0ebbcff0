import { and, eq, gte, isNotNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import type { Hex } from "viem";
import { type Executor, getDatabaseOptions, withDatabase } from "../../db/client";
import { distributions, merkleBuckets } from "../../db/schema/rewards";
import { createDeadline, DATABASE_DEADLINE_MS, waitInTime } from "../../domain/deadline";
import { Failure } from "../../domain/failure";
import {
  buildMerkleTree,
  type HashedTree,
  type MerkleTree,
  openMerkleTree,
} from "../../domain/trees/merkle";
import { createLimiter } from "../runtime/limiter";
import { runInThread } from "../runtime/threads";
import { type LeafPlace, listBucketLeaves, type RewardKey } from "./buckets";

// No proof is stored: a bucket's tree is rebuilt from its rows.

/** A leaf of a tree whose root is known. */
export interface ProvableLeaf extends RewardKey, LeafPlace {
  readonly root: Hex;
}

interface CachedTree {
  readonly tree: MerkleTree;
  readonly leaves: number;
}

/**
 * The most leaves of a tree that is built here. A larger tree would block all other callers, so it
 * is built in a thread.
 */
const LEAVES_HERE_MAX = 8_192;
const THREAD_MS_MAX = 120_000;
/** One thread may need some hundred MB. Point systems take turns. */
const limitThreads = createLimiter({
  atOnceMax: 1,
  waitingMax: 16,
  waitMs: THREAD_MS_MAX,
  partOfGroup: 1 / 2,
});

/** The most leaves of all cached trees together: as many as the largest tree has. */
const KEPT_LEAVES_MAX = 1_048_576;
/** The most trees that are cached, however small they are. */
const KEPT_TREES_MAX = 10_000;

const NO_LIMIT = 2 ** 31 - 1;

/**
 * Matches a bucket whose proofs are given out: its tree is built, and its tokens are in the
 * campaign contract. Every check of whether there is a proof uses this condition.
 */
export function isProvable(
  bucket: Pick<typeof merkleBuckets, "root" | "fundedAt">,
): SQL | undefined {
  return and(isNotNull(bucket.root), isNotNull(bucket.fundedAt));
}

/** Matches the bucket whose tree has the share of a row in `distributions`. */
export function isBucketOfShare(): SQL | undefined {
  return and(
    eq(merkleBuckets.pointSystemId, distributions.pointSystemId),
    eq(merkleBuckets.rewardId, distributions.rewardId),
    eq(merkleBuckets.bucket, distributions.bucket),
  );
}

/** Matches the row in `distributions` of a wallet's share of a reward. It is looked up by its key alone (find_shares). */
export function isShareOf(
  pointSystemId: SQLWrapper,
  rewardId: SQLWrapper,
  address: SQLWrapper,
): SQL {
  return sql`${distributions}.ctid = (
    select s.place from find_shares(${pointSystemId}::uuid, ${rewardId}::uuid, array[${address}::bytea]) s
  )`;
}

/**
 * Selects a wallet's shares of all rewards, in place of `distributions`: they are found before all else that a statement
 * joins, by the wallet's key alone (find_wallet_shares).
 */
export function selectSharesOfWallet(db: Executor, pointSystemId: SQLWrapper, address: SQLWrapper) {
  return (
    db
      .select()
      .from(distributions)
      .where(
        sql`${distributions}.ctid = any((
          select find_wallet_shares(${pointSystemId}::uuid, ${address}::bytea)
        )::tid[])`,
      )
      // PostgreSQL takes no condition from outside into a query with a limit.
      .limit(NO_LIMIT)
      .as("distributions")
  );
}

/**
 * Matches a row in `distributions` whose share counts. A share of the first round always counts. A
 * share of a later round counts once its tokens are in the campaign contract, since they may never
 * arrive.
 */
export function isShareSettled(): SQL {
  return sql`(${distributions.round} = 0 or exists (
    select 1 from ${merkleBuckets}
    where ${isBucketOfShare()} and ${isNotNull(merkleBuckets.fundedAt)}
  ))`;
}

/** The cached trees, by bucket and root: a rebuilt bucket has another root and so another entry. */
const trees = new LRUCache<string, CachedTree, ProvableLeaf>({
  max: KEPT_TREES_MAX,
  maxSize: KEPT_LEAVES_MAX,
  sizeCalculation: ({ leaves }) => leaves,
  // Callers for a tree that is being built wait for that build, also when the tree is not cached.
  ignoreFetchAbort: true,
  fetchMethod: (_key, _stale, { context }) => buildTree(context),
});

/**
 * Computes the proof of a leaf in the form that the campaign contract takes.
 * @throws {Failure} `service_unavailable` while a large tree is being built; the build continues
 * @throws {Error} when the database's rows do not give the tree of their root
 */
export async function getMerkleProof(leaf: ProvableLeaf): Promise<Hex[]> {
  const { pointSystemId, rewardId, bucket, root, leafIndex } = leaf;
  const key = `${pointSystemId} ${rewardId} ${bucket} ${root}`;
  const fetching = trees.forceFetch(key, { context: leaf });
  // The wait is as long as for the database, so that the caller has an answer in time.
  const { tree } = await waitInTime(
    fetching,
    DATABASE_DEADLINE_MS,
    () => new Failure("service_unavailable"),
  );
  return tree.getProof(leafIndex);
}

async function buildTree({ root, bucket, ...reward }: ProvableLeaf): Promise<CachedTree> {
  const built = (await isLarge(reward, bucket))
    ? await limitThreads(() => buildInThread(reward, bucket), reward.pointSystemId)
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
      // Only the index of the trees has this order: the others have all shares of the campaign.
      .orderBy(distributions.leafIndex)
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
