import { and, asc, eq, sql } from "drizzle-orm";
import { type Executor, withDatabase } from "../../db/client";
import { airdrops, allocations, rewards } from "../../db/schema/rewards";
import type { Campaign, CampaignRound, CampaignTerms } from "../../domain/campaigns/campaign";
import { Failure } from "../../domain/failure";
import type { RewardKind, TokenType } from "../../domain/rewards/reward";
import { requireUuid } from "../../domain/uuid";
import type { Member } from "../access/members";
import { isAirdropOver, selectAdmin } from "../rewards/active-airdrop";
import { isAirdropOfReward } from "../rewards/joins";
import { digestValues } from "../rewards/terms-digest";

/** The most rounds that are shown; a campaign has a handful. */
const ROUNDS_MAX = 200;

/**
 * Matches the reward with this id in the member's point system.
 * @param rewardId the id as the browser sent it
 * @throws {Failure} `not_found` when the id is malformed
 */
export function isReward({ pointSystemId }: Member, rewardId: string) {
  return and(eq(rewards.pointSystemId, pointSystemId), eq(rewards.id, requireUuid(rewardId)));
}

/**
 * Reads a campaign.
 * @param rewardId the id as the browser sent it
 * @throws {Failure} `not_found`, also for a gift card reward
 */
export function getCampaign(member: Member, rewardId: string): Promise<Campaign> {
  return withDatabase((db) => readCampaign(db, member, rewardId));
}

/**
 * Reads a campaign and locks it until the transaction ends, so that no other step runs meanwhile.
 * @throws {Failure} `not_found`
 */
export async function lockCampaign(
  executor: Executor,
  member: Member,
  rewardId: string,
): Promise<Campaign> {
  await executor
    .select({ id: rewards.id })
    .from(rewards)
    .where(isReward(member, rewardId))
    .for("update");
  return readCampaign(executor, member, rewardId);
}

/**
 * Finds the kind of a reward; each kind has pages of its own.
 * @throws {Failure} `not_found`
 */
export async function getRewardKind(member: Member, rewardId: string): Promise<RewardKind> {
  const [found] = await withDatabase((db) =>
    db.select({ kind: rewards.kind }).from(rewards).where(isReward(member, rewardId)),
  );
  if (!found) throw new Failure("not_found");
  return found.kind;
}

/** Makes a digest by which two readings of a campaign's terms can be compared. */
export function digestTerms(terms: CampaignTerms): string {
  return digestValues([
    terms.campaignName,
    terms.tokenType,
    terms.tokenAddress,
    terms.tokenSymbol,
    terms.tokenDecimals,
    terms.chainId,
    terms.totalAmountWei.toString(),
    terms.minPoints,
    terms.maxPoints,
    terms.claimDeadline,
    terms.deadlineTimeZone,
    terms.pointsBoard,
    terms.pointsWindowId,
    terms.familyId,
  ]);
}

async function readCampaign(
  executor: Executor,
  member: Member,
  rewardId: string,
): Promise<Campaign> {
  const [row] = await executor
    .select({
      id: rewards.id,
      kind: rewards.kind,
      // A constraint of the table ensures that token rewards have these columns.
      campaignId: sql<string>`${rewards.campaignId}`,
      campaignName: rewards.campaignName,
      tokenType: sql<TokenType>`${rewards.tokenType}`,
      tokenAddress: rewards.tokenAddress,
      tokenSymbol: sql<string>`${rewards.tokenSymbol}`,
      tokenDecimals: sql<number>`${rewards.tokenDecimals}`,
      tokenReadAt: rewards.tokenReadAt,
      chainId: rewards.chainId,
      totalAmountWei: sql<bigint>`${rewards.totalAmountWei}`.mapWith(rewards.totalAmountWei),
      minPoints: rewards.minPoints,
      maxPoints: rewards.maxPoints,
      status: rewards.status,
      claimDeadline: rewards.claimDeadline,
      deadlineTimeZone: rewards.deadlineTimeZone,
      pointsBoard: rewards.pointsBoard,
      pointsWindowId: rewards.pointsWindowId,
      familyId: rewards.familyId,
      createdAt: rewards.createdAt,
      publishedAt: rewards.publishedAt,
      distributedAt: rewards.distributedAt,
      cancelledAt: rewards.cancelledAt,
      airdropStatus: airdrops.status,
      isOver: isAirdropOver(),
      contractAddress: airdrops.contractAddress,
      onchainId: airdrops.onchainId,
      adminAddress: selectAdmin(),
    })
    .from(rewards)
    .leftJoin(airdrops, isAirdropOfReward())
    .where(isReward(member, rewardId));
  if (row?.kind !== "token") throw new Failure("not_found");
  const { kind: _, airdropStatus, contractAddress, onchainId, adminAddress, ...campaign } = row;
  const airdrop = airdropStatus && {
    status: airdropStatus,
    contractAddress,
    onchainId,
    adminAddress,
  };
  return { ...campaign, airdrop, rounds: await listRounds(executor, member, campaign.id) };
}

function listRounds(
  executor: Executor,
  { pointSystemId }: Member,
  rewardId: string,
): Promise<CampaignRound[]> {
  return executor
    .select({
      round: allocations.round,
      status: allocations.status,
      totalAmountWei: allocations.totalAmountWei,
      bucketSize: allocations.bucketSize,
      bucketSizeChosen: allocations.bucketSizeChosen,
      snapshotAt: allocations.snapshotAt,
      wallets: allocations.wallets,
      totalWeight: allocations.totalWeight,
      walletsDone: allocations.walletsDone,
      failure: allocations.failure,
      createdAt: allocations.createdAt,
      builtAt: allocations.builtAt,
    })
    .from(allocations)
    .where(and(eq(allocations.pointSystemId, pointSystemId), eq(allocations.rewardId, rewardId)))
    .orderBy(asc(allocations.round))
    .limit(ROUNDS_MAX);
}
