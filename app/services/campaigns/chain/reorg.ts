import { and, eq, sql } from "drizzle-orm";
import { type Hex, hexToBytes } from "viem";
import { withDatabase } from "../../../db/client";
import { airdrops, airdropTransactions, merkleBuckets, rewards } from "../../../db/schema/rewards";
import { recordAudit } from "../../access/audit-log";
import { forgetClaimsOfReward } from "../../claims/store";
import { lockAirdrop } from "../../rewards/lock-airdrop";
import type { RewardKey } from "../../trees/buckets";
import { selectChainCampaign } from "./page";

/**
 * Undoes the changes of a transaction to a campaign's record, because the chain dropped its block.
 * When the creation is undone, everything after it is too, and the campaign is ready to be created
 * again.
 */
export async function undoTransaction(key: RewardKey, hash: Hex): Promise<void> {
  const { pointSystemId, rewardId } = key;
  const isOf = (table: typeof airdrops | typeof airdropTransactions | typeof merkleBuckets) =>
    and(eq(table.pointSystemId, pointSystemId), eq(table.rewardId, rewardId));
  const txHash = hexToBytes(hash);
  await withDatabase((db) =>
    db.transaction(async (tx) => {
      await lockAirdrop(tx, key);
      const [undone] = await tx
        .delete(airdropTransactions)
        .where(and(isOf(airdropTransactions), eq(airdropTransactions.txHash, txHash)))
        .returning();
      if (!undone) return;
      const campaign = await selectChainCampaign(tx, key);
      const unfunded = { fundedAt: null, fundingTxHash: null };
      if (undone.isCreation) {
        const later = await tx
          .delete(airdropTransactions)
          .where(isOf(airdropTransactions))
          .returning();
        const [firstAdmin] = later
          .sort((a, b) => a.blockNumber - b.blockNumber)
          .flatMap(({ adminBefore }) => adminBefore ?? []);
        await tx.update(merkleBuckets).set(unfunded).where(isOf(merkleBuckets));
        await forgetClaimsOfReward(tx, key);
        await tx
          .update(airdrops)
          .set({
            status: "ready",
            contractAddress: null,
            onchainId: null,
            creationTxHash: null,
            creationBlock: null,
            createdOnchainAt: null,
            cancelledOnchainAt: null,
            refundedWei: 0n,
            ...(firstAdmin && { adminAddress: firstAdmin }),
            scannedToBlock: Math.max(0, undone.blockNumber - 1),
          })
          .where(isOf(airdrops));
        await tx
          .update(rewards)
          .set({ status: "active", distributedAt: null })
          .where(and(eq(rewards.pointSystemId, pointSystemId), eq(rewards.id, rewardId)));
      } else {
        await tx
          .update(merkleBuckets)
          .set(unfunded)
          .where(and(isOf(merkleBuckets), eq(merkleBuckets.fundingTxHash, txHash)));
        await tx
          .update(airdrops)
          .set({
            refundedWei: sql`${airdrops.refundedWei} - ${undone.refundedWei.toString()}::numeric`,
            ...(undone.isCancellation && { status: "active", cancelledOnchainAt: null }),
            ...(undone.adminBefore && { adminAddress: undone.adminBefore }),
            scannedToBlock: sql`least(${airdrops.scannedToBlock}, ${undone.blockNumber - 1}::bigint)`,
          })
          .where(isOf(airdrops));
      }
      await recordAudit(tx, "background job", {
        pointSystemId,
        action: "campaign.reorg",
        subject: campaign.campaignId ?? campaign.name,
        before: { transaction: hash, block: undone.blockNumber },
      });
    }),
  );
}
