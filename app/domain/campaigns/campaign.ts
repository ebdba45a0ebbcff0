import type { Address } from "../address";
import type { CountedPoints } from "../rewards/counted-points";
import type { AirdropStatus, AllocationStatus, RewardStatus, TokenType } from "../rewards/reward";

/** The terms that are promised to wallets. They are fixed when the campaign is published. */
export interface CampaignTerms extends CountedPoints {
  readonly campaignName: string;
  readonly tokenType: TokenType;
  readonly tokenAddress: Address | null;
  readonly tokenSymbol: string;
  readonly tokenDecimals: number;
  /** When symbol and decimals were read from the chain; null when an operator typed them. */
  readonly tokenReadAt: Date | null;
  /** Null for coins of chains that have no campaign contract. */
  readonly chainId: number | null;
  readonly totalAmountWei: bigint;
  readonly minPoints: number;
  readonly maxPoints: number | null;
  readonly claimDeadline: Date | null;
  readonly deadlineTimeZone: string | null;
}

/** One split of a campaign among wallets: round 0 is the campaign's own, later ones were added. */
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

/** A token reward with all that its pages show. */
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
  /** Whether its contract pays no more: it ended on chain, or its deadline has passed. */
  readonly isOver: boolean;
  /** In ascending order. */
  readonly rounds: readonly CampaignRound[];
}

/** The most base units that a bucket of the campaign contract can hold. */
export const BUCKET_AMOUNT_MAX_WEI = 2n ** 127n - 1n;

export const TOKEN_SYMBOL_LENGTH_MAX = 32;
export const TOKEN_DECIMALS_MAX = 255;

/** Coins of chains that have no campaign contract. They are distributed by other means. */
export const FOREIGN_COINS = {
  solana: { symbol: "SOL", decimals: 9 },
  bitcoin: { symbol: "BTC", decimals: 8 },
} as const;

export type ForeignCoin = keyof typeof FOREIGN_COINS;

export function isForeignCoin(tokenType: TokenType): tokenType is ForeignCoin {
  return Object.hasOwn(FOREIGN_COINS, tokenType);
}

/** Checks whether a token is a contract, and so has an address. */
export function isErc20(tokenType: TokenType): boolean {
  return tokenType === "custom" || tokenType === "usdc" || tokenType === "usdt";
}

/** Checks whether the worker works on a split, or will. */
export function isRoundRunning({ status }: Pick<CampaignRound, "status">): boolean {
  return status !== "failed" && status !== "built";
}

/**
 * Checks whether the campaign's own split is done. A campaign that was split elsewhere counts as
 * split.
 */
export function isSplit({ status, rounds }: Pick<Campaign, "status" | "rounds">): boolean {
  return status === "distributed" || rounds.some((round) => round.status === "built");
}

/**
 * The reason why a wallet has no share, or the share that it would have if the split were made now.
 */
export type Eligibility =
  | { readonly kind: "unknown" }
  /** The wallet is linked to a primary one, which has its points. */
  | { readonly kind: "linked"; readonly primary: Address }
  | { readonly kind: "blacklisted"; readonly since: Date }
  | { readonly kind: "below"; readonly points: number; readonly needed: number }
  /** The wallet holds the points of another one, which has a share for them. */
  | { readonly kind: "served"; readonly former: Address }
  /** The wallet has enough points now, but not at the split, or the split is still to come. */
  | { readonly kind: "eligible"; readonly points: number; readonly weight: number };
