import { sql } from "drizzle-orm";
import type { Transaction } from "../db/client";
import type { RewardKey } from "./merkle-buckets";

/** What a split needs beyond the reward's terms. */
interface NewAllocation {
  readonly totalAmountWei: bigint;
  /** Wallets a merkle tree; null for the service's choice. */
  readonly bucketSizeChosen: number | null;
}

/** Queues a reward's next split, within the transaction of the step that asks for it. */
export async function queueAllocation(
  tx: Transaction,
  { pointSystemId, rewardId }: RewardKey,
  { totalAmountWei, bucketSizeChosen }: NewAllocation,
): Promise<void> {
  await tx.execute(sql`
    insert into allocations (
      point_system_id, reward_id, round, status, total_amount_wei, bucket_size_chosen
    )
    select ${pointSystemId}::uuid, ${rewardId}::uuid, coalesce(max(round) + 1, 0), 'queued',
      ${totalAmountWei.toString()}::numeric, ${bucketSizeChosen}::int
    from allocations
    where point_system_id = ${pointSystemId}::uuid and reward_id = ${rewardId}::uuid`);
}
