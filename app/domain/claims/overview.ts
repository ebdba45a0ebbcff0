import type { Hex } from "viem";
import type { Address } from "../address";
import type { AirdropStatus, RewardKind, RewardStatus } from "../rewards/reward";

// A wallet's overview for the claim page, beside the two public endpoints. It is sent as JSON.

/** How a wallet's amount came about. Amounts in base units, as text. */
export interface ClaimReason {
  readonly points: number;
  readonly maxPoints: number | null;
  readonly weight: number;
  readonly totalWeight: string;
  readonly totalWei: string;
  readonly share: number;
  readonly gotRemainderUnit: boolean;
  readonly snapshotAt: string | null;
}

/** A reward as it concerns one wallet. */
export interface ClaimReward {
  readonly rewardId: string;
  readonly kind: RewardKind;
  readonly name: string;
  readonly status: RewardStatus;
  readonly chainId: number | null;
  readonly tokenSymbol: string | null;
  readonly tokenDecimals: number | null;
  /**
   * The points that a wallet needs to take part; null when the reward does not depend on points.
   */
  readonly minPoints: number | null;
  /** The wallet's points that the reward counts. */
  readonly points: number;
  readonly deadline: string | null;
  readonly deadlineTimeZone: string | null;
  readonly airdropStatus: AirdropStatus | null;
  readonly isCancelled: boolean;
  /** The wallet's share, once the reward was split. */
  readonly share: {
    readonly distributionId: string;
    readonly amountWei: string;
    readonly claimedAt: string | null;
    readonly claimTxHash: Hex | null;
    /** The reference of a payout by hand. */
    readonly payoutReference: string | null;
    /** Null when the amount was set from outside. */
    readonly reason: ClaimReason | null;
  } | null;
  /** The public file of all trees, once the tokens are in the contract, and its hash. */
  readonly treeFile: { readonly path: string; readonly sha256: string } | null;
  /** Whether the split was made: a wallet without a share then gets nothing. */
  readonly isSplit: boolean;
}

/** A point system's rewards as they concern one wallet. */
export interface ClaimOverview {
  readonly address: Address;
  readonly points: number;
  /** Whether it gets nothing new: it is blacklisted, or the wallet that holds its points is. */
  readonly isBlacklisted: boolean;
  readonly rewards: readonly ClaimReward[];
}
