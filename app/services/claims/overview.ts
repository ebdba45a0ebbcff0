import { and, desc, eq, inArray, isNotNull, min, or, sql } from "drizzle-orm";
import { bytesToHex } from "viem";
import { hotQuery } from "../../db/client";
import { giftCardTiers } from "../../db/schema/gift-cards";
import { airdrops, allocations, distributions, rewards, treeFiles } from "../../db/schema/rewards";
import type { Address } from "../../domain/address";
import type { ClaimOverview, ClaimReason, ClaimReward } from "../../domain/claims/overview";
import { explainShare, getPointsNeeded } from "../../domain/rewards/allocation";
import type { AirdropStatus } from "../../domain/rewards/reward";
import { isAirdropOver } from "../rewards/active-airdrop";
import { isAirdropOfReward, isSettledShareOfReward } from "../rewards/joins";
import { findStanding, ownPointsColumn } from "../rewards/standing";
import { nameTreeFile } from "../rewards/tree-file-name";

// Data of the claim page beside the two public endpoints: the points that a wallet lacks, and the
// reasons for its amounts. It is public for every wallet.

/** The most rewards that a page lists; older ones are left out. */
const REWARDS_MAX = 100;

const selectRewards = hotQuery((db) => {
  const share = db
    .select({
      distributionId: distributions.id,
      round: distributions.round,
      points: distributions.points,
      amountWei: distributions.amountWei,
      claimedAt: distributions.claimedAt,
      claimTxHash: distributions.claimTxHash,
      payoutReference: distributions.payoutReference,
    })
    .from(distributions)
    .where(isSettledShareOfReward())
    .limit(1)
    .as("share");
  const tier = db
    .select({ minPoints: min(giftCardTiers.minPoints).as("tier_min_points") })
    .from(giftCardTiers)
    .where(
      and(
        eq(giftCardTiers.pointSystemId, rewards.pointSystemId),
        eq(giftCardTiers.rewardId, rewards.id),
      ),
    )
    .as("tier");
  const file = db
    .select({ sha256: treeFiles.sha256 })
    .from(treeFiles)
    .where(
      and(eq(treeFiles.pointSystemId, rewards.pointSystemId), eq(treeFiles.rewardId, rewards.id)),
    )
    .orderBy(desc(treeFiles.madeAt))
    .limit(1)
    .as("file");
  return db
    .select({
      pointSystemId: rewards.pointSystemId,
      rewardId: rewards.id,
      kind: rewards.kind,
      name: rewards.campaignName,
      status: rewards.status,
      chainId: rewards.chainId,
      tokenSymbol: rewards.tokenSymbol,
      tokenDecimals: rewards.tokenDecimals,
      minPoints: rewards.minPoints,
      tierMinPoints: tier.minPoints,
      maxPoints: rewards.maxPoints,
      deadline: rewards.claimDeadline,
      deadlineTimeZone: rewards.deadlineTimeZone,
      airdropStatus: sql<AirdropStatus | null>`case when ${isAirdropOver()} then 'ended' else ${airdrops.status} end`,
      cancelledOnchainAt: airdrops.cancelledOnchainAt,
      distributionId: share.distributionId,
      sharePoints: share.points,
      shareAmountWei: share.amountWei,
      shareClaimedAt: share.claimedAt,
      shareClaimTxHash: share.claimTxHash,
      payoutReference: share.payoutReference,
      splitAmountWei: allocations.totalAmountWei,
      splitWeight: allocations.totalWeight,
      splitAt: allocations.snapshotAt,
      campaignId: rewards.campaignId,
      treesSha256: file.sha256,
      ownPoints: ownPointsColumn(),
    })
    .from(rewards)
    .leftJoin(airdrops, isAirdropOfReward())
    .leftJoinLateral(share, sql`true`)
    .leftJoinLateral(tier, sql`true`)
    .leftJoinLateral(file, sql`true`)
    .leftJoin(
      allocations,
      and(
        eq(allocations.pointSystemId, rewards.pointSystemId),
        eq(allocations.rewardId, rewards.id),
        eq(allocations.round, sql`coalesce(${share.round}, 0)`),
      ),
    )
    .where(
      and(
        eq(rewards.pointSystemId, sql.placeholder("pointSystemId")),
        or(
          inArray(rewards.status, ["active", "distributed"]),
          and(eq(rewards.status, "cancelled"), isNotNull(airdrops.onchainId)),
        ),
      ),
    )
    .orderBy(desc(rewards.createdAt), desc(rewards.id))
    .limit(REWARDS_MAX)
    .prepare("list_claim_rewards");
});

/** Lists a point system's rewards from the view of one wallet, newest first. */
export async function getClaimOverview(
  pointSystemId: string,
  address: Address,
): Promise<ClaimOverview> {
  const [standing, rows] = await Promise.all([
    findStanding(pointSystemId, address),
    selectRewards({ pointSystemId, address }),
  ]);
  return {
    address,
    ...standing,
    rewards: rows.map((row) => ({ ...toReward(row), points: row.ownPoints ?? standing.points })),
  };
}

type RewardRow = Awaited<ReturnType<typeof selectRewards>>[number];

function toReward(row: RewardRow): Omit<ClaimReward, "points"> {
  const { distributionId, shareAmountWei, shareClaimedAt, shareClaimTxHash } = row;
  return {
    rewardId: row.rewardId,
    kind: row.kind,
    name: row.name,
    status: row.status,
    chainId: row.chainId,
    tokenSymbol: row.tokenSymbol,
    tokenDecimals: row.tokenDecimals,
    minPoints: row.kind === "token" ? getPointsNeeded(row.minPoints) : row.tierMinPoints,
    deadline: row.deadline?.toISOString() ?? null,
    deadlineTimeZone: row.deadlineTimeZone,
    airdropStatus: row.airdropStatus,
    isCancelled: row.status === "cancelled" || row.cancelledOnchainAt !== null,
    share:
      distributionId !== null && shareAmountWei !== null
        ? {
            distributionId,
            amountWei: shareAmountWei.toString(),
            claimedAt: shareClaimedAt?.toISOString() ?? null,
            claimTxHash: shareClaimTxHash && bytesToHex(shareClaimTxHash),
            payoutReference: row.payoutReference,
            reason: explain(row, shareAmountWei),
          }
        : null,
    treeFile:
      row.campaignId === null || row.treesSha256 === null
        ? null
        : nameTreeFile(row.pointSystemId, row.campaignId, row.treesSha256),
    isSplit: row.splitAt !== null || row.status === "distributed",
  };
}

function explain(row: RewardRow, amountWei: bigint): ClaimReason | null {
  const { sharePoints: points, maxPoints, splitAmountWei: totalWei, splitWeight } = row;
  if (points === null || totalWei === null || !splitWeight) return null;
  const terms = { totalWei, maxPoints, totalWeight: splitWeight };
  const { weight, share, gotRemainderUnit } = explainShare({ points, amountWei }, terms);
  return {
    points,
    maxPoints,
    weight,
    totalWeight: splitWeight.toString(),
    totalWei: totalWei.toString(),
    share,
    gotRemainderUnit,
    snapshotAt: row.splitAt?.toISOString() ?? null,
  };
}
