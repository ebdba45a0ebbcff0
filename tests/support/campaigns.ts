import { randomUUID } from "node:crypto";
import { and, asc, eq, sql } from "drizzle-orm";
import { inTransaction, withDatabase } from "../../app/db/client";
import {
  airdrops,
  allocations,
  distributions,
  merkleBuckets,
  rewards,
} from "../../app/db/schema/rewards";
import { type AllocationKey, queueAllocation } from "../../app/services/campaigns/build/order";
import type { RewardKey } from "../../app/services/trees/buckets";

interface CampaignOptions {
  readonly minPoints?: number;
  readonly maxPoints?: number | null;
  readonly totalAmountWei?: bigint;
}

/** Stores an active token reward with an airdrop that is to be built. */
export async function createCampaign(
  pointSystemId: string,
  { minPoints = 0, maxPoints = null, totalAmountWei = 10n ** 18n }: CampaignOptions = {},
): Promise<RewardKey> {
  const rewardId = randomUUID();
  await withDatabase(async (db) => {
    await db.insert(rewards).values({
      pointSystemId,
      id: rewardId,
      kind: "token",
      campaignId: `CMP-${rewardId.slice(0, 8)}`,
      campaignName: "Season one",
      tokenType: "custom",
      tokenSymbol: "ABC",
      tokenDecimals: 18,
      chainId: 84532,
      totalAmountWei,
      minPoints,
      maxPoints,
      status: "active",
    });
    await db
      .insert(airdrops)
      .values({ pointSystemId, rewardId, chainId: 84532, status: "building" });
  });
  return { pointSystemId, rewardId };
}

/** Stores wallets of a point system with these points, all at once and without ledger events. */
export async function fillWallets(pointSystemId: string, points: readonly number[]): Promise<void> {
  await withDatabase((db) =>
    db.execute(sql`
      insert into wallets (point_system_id, address, points, events)
      select ${pointSystemId}::uuid, decode(substr(md5(n::text), 1, 40) || lpad(to_hex(n), 8, '0'), 'hex'),
        p, 1
      from unnest(${`{${points.join(",")}}`}::bigint[]) with ordinality as t(p, n)`),
  );
}

/** Orders a split in a separate transaction. */
export async function orderAllocation(
  key: RewardKey,
  totalAmountWei: bigint,
  bucketSizeChosen: number | null = null,
): Promise<AllocationKey> {
  const { round } = await inTransaction((tx) =>
    queueAllocation(tx, key, { totalAmountWei, bucketSizeChosen }),
  );
  return { ...key, round };
}

export async function getAllocation({ pointSystemId, rewardId, round }: AllocationKey) {
  const [row] = await withDatabase((db) =>
    db
      .select()
      .from(allocations)
      .where(
        and(
          eq(allocations.pointSystemId, pointSystemId),
          eq(allocations.rewardId, rewardId),
          eq(allocations.round, round),
        ),
      ),
  );
  if (!row) throw new Error("There is no such allocation");
  return row;
}

export const listDistributions = ({ rewardId }: RewardKey) =>
  withDatabase((db) =>
    db
      .select()
      .from(distributions)
      .where(eq(distributions.rewardId, rewardId))
      .orderBy(asc(distributions.bucket), asc(distributions.leafIndex)),
  );

export const listBuckets = ({ rewardId }: RewardKey) =>
  withDatabase((db) =>
    db
      .select()
      .from(merkleBuckets)
      .where(eq(merkleBuckets.rewardId, rewardId))
      .orderBy(asc(merkleBuckets.bucket)),
  );

/** Lists the roots as text; null where there is none yet. */
export async function listRoots(key: RewardKey): Promise<(string | null)[]> {
  const buckets = await listBuckets(key);
  return buckets.map(({ root }) => root && Buffer.from(root).toString("hex"));
}
