import type { Hex } from "viem";
import type { Address } from "../../../../domain/address";
import type { CampaignBucket } from "../../../../domain/campaigns/calls";
import type { CampaignRef } from "../../../../domain/campaigns/ref";
import type { AirdropStatus, RewardStatus } from "../../../../domain/rewards/reward";

/** The data of the page of a campaign's chain side, as its loader answers it. */
export interface ChainPageData {
  readonly campaign: {
    readonly rewardId: string;
    readonly campaignId: string | null;
    readonly name: string;
    readonly status: RewardStatus;
    readonly airdropStatus: AirdropStatus | null;
    readonly contractAddress: Address;
    readonly onchainId: bigint | null;
    readonly adminAddress: Address | null;
    /** The admin named before the present one, and the time of the change. */
    readonly formerAdminAddress: Address | null;
    readonly adminNamedAt: Date | null;
    readonly token: Address;
    readonly tokenSymbol: string;
    readonly tokenDecimals: number;
    readonly totalAmountWei: bigint;
    readonly claimDeadline: Date | null;
    readonly deadlineTimeZone: string | null;
    readonly deadlineSeconds: number;
    readonly creationTxHash: Hex | null;
    readonly createdOnchainAt: Date | null;
    readonly cancelledOnchainAt: Date | null;
    readonly refundedWei: bigint | null;
    readonly ref: CampaignRef;
  };
  readonly chain: {
    readonly id: number;
    readonly name: string;
    readonly nativeSymbol: string;
    readonly explorerUrl: string;
    readonly publicRpcUrls: readonly string[];
    readonly isPublicRpcOverridden: boolean;
    readonly isConfigured: boolean;
  };
  /**
   * The code at the contract's address; null when the chain does not tell, or nothing is left to
   * send.
   */
  readonly deployment: "deployed" | "absent" | "different" | null;
  /** Buckets that are built and not on chain yet; `next` holds those of the next transaction. */
  readonly unfunded: {
    readonly buckets: number;
    readonly totalWei: bigint;
    readonly transactions: number;
    readonly gas: number;
    readonly next: readonly CampaignBucket[];
    readonly nextWei: bigint;
  };
  readonly funded: {
    readonly buckets: number;
    readonly totalWei: bigint;
    readonly parts: readonly (readonly Hex[])[];
  };
  readonly claims: {
    readonly wallets: number;
    readonly claimed: number;
    readonly claimedWei: bigint;
  };
  readonly transactions: readonly {
    readonly txHash: Hex;
    readonly isCreation: boolean;
    readonly isCancellation: boolean;
    readonly refundedWei: bigint;
    readonly isFinal: boolean;
    readonly isAdminChange: boolean;
    readonly isExtension: boolean;
  }[];
  readonly strays: readonly StrayAirdrop[];
}

/** Another airdrop on chain that names this campaign and still holds tokens. */
export interface StrayAirdrop {
  readonly txHash: Hex;
  readonly onchainId: string;
  readonly contract: Address;
  readonly admin: Address;
  readonly isCancelled: boolean;
  readonly heldWei: bigint;
  /** The roots of the buckets that hold tokens, as many as fit one transaction. */
  readonly roots: readonly Hex[];
}

/** The stage of a campaign's chain side, by which the page offers actions. */
export type ChainStage =
  | "unbuilt"
  | "unconfigured"
  | "undeployed"
  | "ready"
  | "late"
  | "active"
  | "ended"
  | "withdrawn";

/**
 * Checks whether a campaign's deadline has passed.
 * @param now milliseconds since 1970
 */
export function isPastDeadline(
  { claimDeadline }: Pick<ChainPageData["campaign"], "claimDeadline">,
  now: number,
): boolean {
  return claimDeadline !== null && claimDeadline.getTime() < now;
}

/**
 * Decides the stage of a campaign's chain side.
 * @param now milliseconds since 1970
 */
export function getChainStage(
  { campaign, chain, deployment }: ChainPageData,
  now: number,
): ChainStage {
  const { airdropStatus, onchainId, status } = campaign;
  const isOver = isPastDeadline(campaign, now);
  if (onchainId !== null) {
    return airdropStatus === "ended" || isOver ? "ended" : "active";
  }
  if (status === "cancelled") return "withdrawn";
  if (airdropStatus !== "ready") return "unbuilt";
  if (isOver) return "late";
  if (!chain.isConfigured) return "unconfigured";
  return deployment === "deployed" ? "ready" : "undeployed";
}
