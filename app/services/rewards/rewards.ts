import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { bytesToHex } from "viem";
import { hotQuery } from "../../db/client";
import { blacklist, wallets } from "../../db/schema/ledger";
import { distributions, rewards } from "../../db/schema/rewards";
import type { Address } from "../../domain/address";
import type { TokenType } from "../../domain/rewards/reward";
import { formatTokenAmount } from "../../domain/rewards/token-amount";
import { isShareSettled } from "../trees/proofs";

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
  readonly minPoints: number;
  readonly maxPoints: number | null;
  readonly status: "active" | "distributed";
  readonly claimDeadline: Date | null;
  readonly createdAt: Date;
}

interface EligibleReward
  extends Pick<PublicReward, "id" | "campaignName" | "totalAmount" | "status" | "claimDeadline"> {
  /** The wallet's amount; null while the reward is not distributed. */
  readonly allocatedAmount: number | null;
}

interface ClaimedReward extends Pick<PublicReward, "id" | "campaignName"> {
  readonly claimedAmount: number;
  readonly claimedAt: Date;
  readonly claimTxHash: string | null;
}

interface UnavailableReward extends Pick<PublicReward, "id" | "campaignName" | "minPoints"> {
  readonly pointsNeeded: number;
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
  totalAmountWei: sql<bigint>`${rewards.totalAmountWei}`.mapWith(BigInt),
  minPoints: rewards.minPoints,
  maxPoints: rewards.maxPoints,
  status: sql<"active" | "distributed">`${rewards.status}`,
  claimDeadline: rewards.claimDeadline,
  createdAt: rewards.createdAt,
};

const selectRewards = hotQuery((db) =>
  db
    .select(REWARD_COLUMNS)
    .from(rewards)
    .where(ofPointSystem)
    .orderBy(...newestFirst)
    .limit(REWARDS_MAX)
    .prepare("list_rewards"),
);

const addressParameter = (column: typeof distributions.address | typeof wallets.address) =>
  sql.param(sql.placeholder("address"), column);

const selectWalletRewards = hotQuery((db) => {
  const share = db
    .select({
      amountWei: distributions.amountWei,
      claimedAt: distributions.claimedAt,
      claimTxHash: distributions.claimTxHash,
    })
    .from(distributions)
    .where(
      and(
        eq(distributions.pointSystemId, sql.placeholder("pointSystemId")),
        eq(distributions.rewardId, rewards.id),
        eq(distributions.address, addressParameter(distributions.address)),
        isShareSettled(),
      ),
    )
    .limit(1)
    .as("share");
  return db
    .select({
      ...REWARD_COLUMNS,
      amountWei: share.amountWei,
      claimedAt: share.claimedAt,
      claimTxHash: share.claimTxHash,
    })
    .from(rewards)
    .leftJoinLateral(share, sql`true`)
    .where(ofPointSystem)
    .orderBy(...newestFirst)
    .limit(REWARDS_MAX)
    .prepare("list_wallet_rewards");
});

const selectStanding = hotQuery((db) => {
  const ofWallet = (table: typeof wallets | typeof blacklist) =>
    and(
      eq(table.pointSystemId, sql.placeholder("pointSystemId")),
      eq(table.address, addressParameter(wallets.address)),
    );
  const points = db.select({ points: wallets.points }).from(wallets).where(ofWallet(wallets));
  const entry = db.select({ one: sql`1` }).from(blacklist).where(ofWallet(blacklist));
  return db
    .select({
      points: sql<number>`coalesce((${points.limit(1)}), 0)`.mapWith(Number),
      isBlacklisted: sql<boolean>`exists (${entry})`,
    })
    .from(sql`(select 1) as wallet`)
    .prepare("find_reward_standing");
});

type RewardRow = Awaited<ReturnType<typeof selectRewards>>[number];

/** Lists the token rewards of a point system that are active or distributed, newest first. */
export async function listRewards(pointSystemId: string): Promise<PublicReward[]> {
  return (await selectRewards({ pointSystemId })).map(toPublicReward);
}

/**
 * Lists a wallet's standing in each of these rewards: in an active reward by its points, in a
 * distributed one by its share. A wallet with enough points but no share became eligible too late
 * or was blacklisted; such a reward is in no list.
 */
export async function listRewardsOfWallet(
  pointSystemId: string,
  address: Address,
): Promise<WalletRewards> {
  const parameters = { pointSystemId, address };
  const [[standing], rows] = await Promise.all([
    selectStanding(parameters),
    selectWalletRewards(parameters),
  ]);
  const { points = 0, isBlacklisted = false } = standing ?? {};
  const answer: WalletRewards = { totalPoints: points, eligible: [], claimed: [], unavailable: [] };
  for (const row of rows) {
    const { id, campaignName, totalAmount, minPoints, status, claimDeadline } = toPublicReward(row);
    if (status === "active" && isBlacklisted) continue;
    const eligible = { id, campaignName, totalAmount, status, claimDeadline };
    const share = status === "distributed" ? toShare(row) : null;
    if (share?.claimedAt) {
      const { amount, claimedAt, claimTxHash } = share;
      answer.claimed.push({ id, campaignName, claimedAmount: amount, claimedAt, claimTxHash });
    } else if (share) {
      answer.eligible.push({ ...eligible, allocatedAmount: share.amount });
    } else if (points < minPoints) {
      answer.unavailable.push({ id, campaignName, minPoints, pointsNeeded: minPoints - points });
    } else if (status === "active") {
      answer.eligible.push({ ...eligible, allocatedAmount: null });
    }
  }
  return answer;
}

function toPublicReward({ totalAmountWei, tokenDecimals, ...reward }: RewardRow): PublicReward {
  return { ...reward, totalAmount: toNumber(totalAmountWei, tokenDecimals) };
}

function toShare(row: Awaited<ReturnType<typeof selectWalletRewards>>[number]) {
  if (row.amountWei === null) return null;
  return {
    amount: toNumber(row.amountWei, row.tokenDecimals),
    claimedAt: row.claimedAt,
    claimTxHash: row.claimTxHash && bytesToHex(row.claimTxHash),
  };
}

function toNumber(amountWei: bigint, decimals: number): number {
  return Number(formatTokenAmount(amountWei, decimals));
}
