import type { Address } from "../address";
import type { AirdropStatus, AllocationStatus, RewardStatus, TokenType } from "../rewards/reward";

/** What is promised to wallets: settled when the campaign is published. */
export interface CampaignTerms {
  readonly campaignName: string;
  readonly tokenType: TokenType;
  readonly tokenAddress: Address | null;
  readonly tokenSymbol: string;
  readonly tokenDecimals: number;
  /** When symbol and decimals were read from the chain; null when somebody typed them. */
  readonly tokenReadAt: Date | null;
  /** Null for coins of chains on which there is no campaign contract. */
  readonly chainId: number | null;
  readonly totalAmountWei: bigint;
  readonly minPoints: number;
  readonly maxPoints: number | null;
  readonly claimDeadline: Date | null;
  readonly deadlineTimeZone: string | null;
}

/** One split of a campaign among wallets: round 0 is its own, later ones were added. */
export interface CampaignRound {
  readonly round: number;
  readonly status: AllocationStatus;
  readonly totalAmountWei: bigint;
  readonly bucketSize: number | null;
  readonly bucketSizeChosen: number | null;
  readonly snapshotAt: Date | null;
  readonly wallets: number | null;
  readonly totalWeight: bigint | null;
  readonly walletsDone: number;
  readonly failure: string | null;
  readonly createdAt: Date;
  readonly builtAt: Date | null;
}

/** A campaign's escrow on chain. */
interface CampaignAirdrop {
  readonly status: AirdropStatus;
  readonly contractAddress: Address | null;
  readonly onchainId: bigint | null;
  readonly adminAddress: Address | null;
}

/** A token reward, whole, as its pages show it. */
export interface Campaign extends CampaignTerms {
  readonly id: string;
  /** `CMP-` and a short code. */
  readonly campaignId: string;
  readonly status: RewardStatus;
  readonly createdAt: Date;
  readonly publishedAt: Date | null;
  readonly distributedAt: Date | null;
  readonly cancelledAt: Date | null;
  readonly airdrop: CampaignAirdrop | null;
  /** Ascending. */
  readonly rounds: readonly CampaignRound[];
}

/** The most base units that a bucket of the campaign contract holds. */
export const BUCKET_AMOUNT_MAX_WEI = 2n ** 127n - 1n;

export const TOKEN_SYMBOL_LENGTH_MAX = 32;
export const TOKEN_DECIMALS_MAX = 255;

/** Coins of chains on which there is no campaign contract: they are handed out by other means. */
export const FOREIGN_COINS = {
  solana: { symbol: "SOL", decimals: 9 },
  bitcoin: { symbol: "BTC", decimals: 8 },
} as const;

export type ForeignCoin = keyof typeof FOREIGN_COINS;

export function isForeignCoin(tokenType: TokenType): tokenType is ForeignCoin {
  return Object.hasOwn(FOREIGN_COINS, tokenType);
}

/** The tokens that are contracts, and so have an address. */
export function isErc20(tokenType: TokenType): boolean {
  return tokenType === "custom" || tokenType === "usdc" || tokenType === "usdt";
}

/** Fewer points than this give no share, whatever the terms say: a weight of nothing gets nothing. */
export function getPointsNeeded(minPoints: number): number {
  return Math.max(minPoints, 1);
}

/** Whether the worker has a split, or will. */
export function isRoundRunning({ status }: Pick<CampaignRound, "status">): boolean {
  return status !== "failed" && status !== "built";
}

/** Whether the campaign's own split is done; one that came from elsewhere was split there. */
export function isSplit({ status, rounds }: Pick<Campaign, "status" | "rounds">): boolean {
  return status === "distributed" || rounds.some((round) => round.status === "built");
}
