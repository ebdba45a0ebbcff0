import { and, eq } from "drizzle-orm";
import type { Transaction } from "../../db/client";
import { airdrops, rewards } from "../../db/schema/rewards";
import { Failure } from "../../domain/failure";
import type { RewardKey } from "../trees/buckets";

/**
 * Locks an airdrop until the transaction ends: this transaction is its only writer. The reward is
 * locked as well, so that a campaign that is cancelled at this moment stays cancelled.
 * @throws {Failure} `campaign_not_built`
 */
export async function lockAirdrop(
  tx: Transaction,
  { pointSystemId, rewardId }: RewardKey,
): Promise<void> {
  const isReward = and(eq(rewards.pointSystemId, pointSystemId), eq(rewards.id, rewardId));
  await tx.select({ id: rewards.id }).from(rewards).where(isReward).for("no key update");
  const [row] = await tx
    .select({ rewardId: airdrops.rewardId })
    .from(airdrops)
    .where(and(eq(airdrops.pointSystemId, pointSystemId), eq(airdrops.rewardId, rewardId)))
    .for("update");
  if (!row) throw new Failure("campaign_not_built");
}
