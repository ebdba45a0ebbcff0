import { and, asc, eq, isNull, sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import type { Executor } from "../../db/client";
import { distributions, merkleBuckets } from "../../db/schema/rewards";
import type { Address } from "../../domain/address";
import { buildMerkleTree, cutIntoBuckets, type MerkleLeaf } from "../../domain/trees/merkle";

/** The key of a reward in the database. */
export interface RewardKey {
  readonly pointSystemId: string;
  readonly rewardId: string;
}

/** The place of a distribution in the trees: its bucket, and its leaf there. */
export interface LeafPlace {
  readonly bucket: number;
  readonly leafIndex: number;
}

/**
 * Cuts a reward's distributions into buckets and stores these without their roots.
 * @param leaves all leaves that go into trees; the reward has no buckets yet
 * @returns the place of each leaf, for its row in `distributions`
 */
export async function layOutMerkleBuckets(
  executor: Executor,
  { pointSystemId, rewardId }: RewardKey,
  leaves: readonly MerkleLeaf[],
): Promise<Map<Address, LeafPlace>> {
  const buckets = cutIntoBuckets(leaves);
  const totals = buckets.map((bucket) => bucket.reduce((sum, leaf) => sum + leaf.amountWei, 0n));
  await executor.execute(sql`
    insert into merkle_buckets (point_system_id, reward_id, bucket, total_amount_wei)
    select ${pointSystemId}::uuid, ${rewardId}::uuid, n - 1, total
    from unnest(${toArrayLiteral(totals.map(String))}::numeric[]) with ordinality as t(total, n)`);
  return new Map(
    buckets.flatMap((bucket, b) =>
      bucket.map(({ address }, i) => [address, { bucket: b, leafIndex: i }] as const),
    ),
  );
}

/**
 * Builds the trees of a reward's buckets that have no root yet, and stores the roots. Proofs exist
 * from then on. The work may be interrupted and repeated; it takes about 0.1 ms for a distribution.
 */
export async function buildMerkleRoots(
  executor: Executor,
  { pointSystemId, rewardId }: RewardKey,
): Promise<void> {
  const isOfReward = and(
    eq(merkleBuckets.pointSystemId, pointSystemId),
    eq(merkleBuckets.rewardId, rewardId),
  );
  const rootless = await executor
    .select({ bucket: merkleBuckets.bucket })
    .from(merkleBuckets)
    .where(and(isOfReward, isNull(merkleBuckets.root)))
    .orderBy(asc(merkleBuckets.bucket));
  for (const { bucket } of rootless) {
    const leaves = await listBucketLeaves(executor, { pointSystemId, rewardId }, bucket);
    const root = Buffer.from(buildMerkleTree(leaves).root.slice(2), "hex");
    await executor
      .update(merkleBuckets)
      .set({ root })
      .where(and(isOfReward, eq(merkleBuckets.bucket, bucket)));
  }
}

/**
 * Lists the leaves of one tree, in their order. They are enough to rebuild the tree and each of its
 * proofs.
 */
export function listBucketLeaves(
  executor: Executor,
  { pointSystemId, rewardId }: RewardKey,
  bucket: number,
): Promise<MerkleLeaf[]> {
  return executor
    .select({
      address: sql`address`.mapWith(distributions.address),
      amountWei: sql`amount_wei`.mapWith(distributions.amountWei),
    })
    .from(sql`list_bucket_leaves(${pointSystemId}::uuid, ${rewardId}::uuid, ${bucket}::int)`);
}
