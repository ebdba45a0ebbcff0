import type { RewardKind, RewardStatus } from "./reward";

/** The stages of a reward in the words of its pages, in their order. The API has statuses. */
export const REWARD_STAGES = ["draft", "published", "ready", "claimable", "ended"] as const;
export type RewardStage = (typeof REWARD_STAGES)[number] | "cancelled";

/** The facts from which a reward's stage follows. */
export interface StagedReward {
  readonly kind: RewardKind;
  readonly status: RewardStatus;
  /** The chain of a campaign; null for gift cards, and for coins that the organisers pay by hand. */
  readonly chainId: number | null;
  /** Whether the amounts of all wallets are settled. */
  readonly isSplit: boolean;
  /** Whether its contract pays no more. */
  readonly isOver: boolean;
}

/** Finds the stage of a reward: gift cards are never funded, and end only when cancelled. */
export function findRewardStage({ kind, status, isSplit, isOver }: StagedReward): RewardStage {
  if (status === "draft" || status === "cancelled") return status;
  if (isOver) return "ended";
  if (status === "distributed") return "claimable";
  return kind === "token" && isSplit ? "ready" : "published";
}

/** Checks whether the organisers pay a reward themselves: its coin has no contract here. */
export function isPaidByHand({ kind, chainId }: Pick<StagedReward, "kind" | "chainId">): boolean {
  return kind === "token" && chainId === null;
}
