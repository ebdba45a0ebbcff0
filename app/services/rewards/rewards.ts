import { and, desc, eq, inArray, isNull, sql } from "drizzle-orm";
import { bytesToHex } from "viem";
import { replicatedQuery } from "../../db/replicated";
import {
  airdrops,
  allocations,
  distributions,
  merkleBuckets,
  rewards,
} from "../../db/schema/rewards";
import type { Address } from "../../domain/address";
import { getPointsNeeded } from "../../domain/rewards/allocation";
import type { TokenType } from "../../domain/rewards/reward";
import { formatTokenAmount } from "../../domain/rewards/token-amount";
import { isAirdropOver } from "./active-airdrop";
import { isAirdropOfReward, isSettledShareOfReward } from "./joins";
import { findStanding, ownPointsColumn } from "./standing";

// Reads for GET /rewards. Its amounts are numbers, as documented: the double next to the exact
// amount.

/** A token reward as the API lists it. */
export interface PublicReward {
  readonly id: string;
  readonly campaignId: string;
  readonly campaignName: string;
  readonly tokenType: TokenType;
  readonly tokenAddress: Address | null;
  readonly chainId: number | null;
  readonly totalAmount: number;
  readonly totalAmountWei: bigint;
  /** At least 1: a split gives nothing for zero points. */
  readonly minPoints: number;
  readonly maxPoints: number | null;
  readonly status: "active" | "distributed";
  readonly claimDeadline: Date | null;
  readonly createdAt: Date;
}

interface EligibleReward
  extends Pick<
    PublicReward,
    "id" | "campaignName" | "totalAmount" | "totalAmountWei" | "status" | "claimDeadline"
  > {
  /** The wallet's amount; null while the reward is not distributed. */
  readonly allocatedAmount: number | null;
  readonly allocatedAmountWei: bigint | null;
}

interface ClaimedReward extends Pick<PublicReward, "id" | "campaignName"> {
  readonly claimedAmount: number;
  readonly claimedAmountWei: bigint;
  readonly claimedAt: Date;
  readonly claimTxHash: string | null;
}

interface UnavailableReward
  extends Pick<PublicReward, "id" | "campaignName" | "minPoints" | "status"> {
  readonly pointsNeeded: number;
  /** Whether more points still help: once the shares are settled, they do not. */
  readonly reason: "points_missing" | "shares_settled";
}

/** The standing of a wallet in a point system's rewards. */
export interface WalletRewards {
  readonly totalPoints: number;
  readonly eligible: EligibleReward[];
  readonly claimed: ClaimedReward[];
  readonly unavailable: UnavailableReward[];
}

/** The most rewards of an answer. It has no pages, so older rewards are not listed. */
const REWARDS_MAX = 1_000;

const ofPointSystem = and(
  eq(rewards.pointSystemId, sql.placeholder("pointSystemId")),
  eq(rewards.kind, "token"),
  inArray(rewards.status, ["active", "distributed"]),
);
const newestFirst = [desc(rewards.createdAt), desc(rewards.id)] as const;

const REWARD_COLUMNS = {
  id: rewards.id,
  campaignId: sql<string>`${rewards.campaignId}`,
  campaignName: rewards.campaignName,
  tokenType: sql<TokenType>`${rewards.tokenType}`,
  tokenAddress: rewards.tokenAddress,
  tokenDecimals: sql<number>`${rewards.tokenDecimals}`,
  chainId: rewards.chainId,
  // The first round, and what later rounds have in the contract.
  totalAmountWei: sql<bigint>`${rewards.totalAmountWei} + case when exists (
      select 1 from ${allocations} where ${allocations.pointSystemId} = ${rewards.pointSystemId}
        and ${allocations.rewardId} = ${rewards.id} and ${allocations.round} > 0
    ) then coalesce((
      select sum(${merkleBuckets.totalAmountWei}) from ${merkleBuckets}
      where ${merkleBuckets.pointSystemId} = ${rewards.pointSystemId}
        and ${merkleBuckets.rewardId} = ${rewards.id} and ${merkleBuckets.round} > 0
        and ${merkleBuckets.fundedAt} is not null
    ), 0) else 0 end`.mapWith(BigInt),
  minPoints: rewards.minPoints,
  maxPoints: rewards.maxPoints,
  status: sql<"active" | "distributed">`${rewards.status}`,
  claimDeadline: rewards.claimDeadline,
  createdAt: rewards.createdAt,
};

const isCancelledOnchain = sql<boolean>`${airdrops.cancelledOnchainAt} is not null`;

const selectRewards = replicatedQuery("shared", (db) =>
  db
    .select(REWARD_COLUMNS)
    .from(rewards)
    .leftJoin(airdrops, isAirdropOfReward())
    .where(and(ofPointSystem, isNull(airdrops.cancelledOnchainAt)))
    .orderBy(...newestFirst)
    .limit(REWARDS_MAX)
    .prepare("list_rewards"),
);

const selectWalletRewards = replicatedQuery("shared", (db) => {
  const share = db
    .select({
      amountWei: distributions.amountWei,
      claimedAt: distributions.claimedAt,
      claimTxHash: distributions.claimTxHash,
      payoutReference: distributions.payoutReference,
    })
    .from(distributions)
    .where(isSettledShareOfReward())
    .limit(1)
    .as("share");
  return db
    .select({
      ...REWARD_COLUMNS,
      amountWei: share.amountWei,
      claimedAt: share.claimedAt,
      claimTxHash: share.claimTxHash,
      payoutReference: share.payoutReference,
      isCancelled: isCancelledOnchain,
      isOver: isAirdropOver(),
      ownPoints: ownPointsColumn(),
    })
    .from(rewards)
    .leftJoin(airdrops, isAirdropOfReward())
    .leftJoinLateral(share, sql`true`)
    .where(ofPointSystem)
    .orderBy(...newestFirst)
    .limit(REWARDS_MAX)
    .prepare("list_wallet_rewards");
});

type RewardRow = Awaited<ReturnType<typeof selectRewards>>[number];

/** Lists the token rewards of a point system that are active or distributed, newest first. */
export async function listRewards(pointSystemId: string): Promise<PublicReward[]> {
  return (await selectRewards({ pointSystemId })).map(toPublicReward);
}

/**
 * Lists a wallet's standing in each of these rewards. A claimed share is claimed, whatever became of
 * the reward. Otherwise an active reward is judged by the wallet's standing, a distributed one by its share. In no list is a reward
 * - that is cancelled on chain;
 * - whose share can no longer be claimed;
 * - that is distributed, and gave nothing to a wallet with enough points: it became eligible too
 *   late, or was blacklisted.
 */
export async function listRewardsOfWallet(
  pointSystemId: string,
  address: Address,
): Promise<WalletRewards> {
  const [standing, rows] = await Promise.all([
    findStanding(pointSystemId, address),
    selectWalletRewards({ pointSystemId, address }),
  ]);
  const answer: WalletRewards = {
    totalPoints: standing.points,
    eligible: [],
    claimed: [],
    unavailable: [],
  };
  for (const row of rows) {
    const { minPoints, ...reward } = toPublicReward(row);
    const { id, campaignName, totalAmount, totalAmountWei, status, claimDeadline } = reward;
    const eligible = { id, campaignName, totalAmount, totalAmountWei, status, claimDeadline };
    const points = row.ownPoints ?? standing.points;
    const share = toShare(row);
    if (share?.claimedAt) {
      const { amount, amountWei, claimedAt, claimTxHash } = share;
      const claimed = {
        claimedAmount: amount,
        claimedAmountWei: amountWei,
        claimedAt,
        claimTxHash,
      };
      answer.claimed.push({ id, campaignName, ...claimed });
    } else if (row.isCancelled || (status === "active" && standing.isBlacklisted)) {
      // There is nothing to get.
    } else if (share && status === "distributed") {
      const { amount: allocatedAmount, amountWei: allocatedAmountWei } = share;
      if (!row.isOver) answer.eligible.push({ ...eligible, allocatedAmount, allocatedAmountWei });
    } else if (points < minPoints) {
      const reason = status === "active" ? "points_missing" : "shares_settled";
      const pointsNeeded = minPoints - points;
      answer.unavailable.push({ id, campaignName, minPoints, pointsNeeded, status, reason });
    } else if (status === "active") {
      answer.eligible.push({ ...eligible, allocatedAmount: null, allocatedAmountWei: null });
    }
  }
  return answer;
}

function toPublicReward(row: RewardRow): PublicReward {
  const { totalAmountWei, tokenDecimals, minPoints, ...reward } = row;
  return {
    ...reward,
    totalAmount: toNumber(totalAmountWei, tokenDecimals),
    totalAmountWei,
    minPoints: getPointsNeeded(minPoints),
  };
}

function toShare(row: Awaited<ReturnType<typeof selectWalletRewards>>[number]) {
  if (row.amountWei === null) return null;
  return {
    amount: toNumber(row.amountWei, row.tokenDecimals),
    amountWei: row.amountWei,
    claimedAt: row.claimedAt,
    // A payout by hand has the operator's reference: a transaction of the coin's own chain, as a rule.
    claimTxHash: row.claimTxHash ? bytesToHex(row.claimTxHash) : row.payoutReference,
  };
}

function toNumber(amountWei: bigint, decimals: number): number {
  return Number(formatTokenAmount(amountWei, decimals));
}
