export type RewardKind = "token" | "giftcard";

/** Only `active` and `distributed` rewards are answered by the API. */
export const REWARD_STATUSES = ["draft", "active", "distributed", "cancelled"] as const;
export type RewardStatus = (typeof REWARD_STATUSES)[number];

/** A native chain coin is `ethereum`; an ERC-20 token is `custom`, `usdc` or `usdt`. */
export const TOKEN_TYPES = ["ethereum", "solana", "bitcoin", "usdc", "usdt", "custom"] as const;
export type TokenType = (typeof TOKEN_TYPES)[number];

/** Where an airdrop's escrow on chain stands. */
export const AIRDROP_STATUSES = ["building", "ready", "active", "ended"] as const;
export type AirdropStatus = (typeof AIRDROP_STATUSES)[number];

/** The chains on which a reward can be claimed. */
export const REWARD_CHAIN_IDS = [5031, 50312, 8453, 84532] as const;

/**
 * Where the split of a token reward stands: waiting for the job; points read and amounts computed;
 * merkle trees built; proofs checked by another library; done; given up.
 */
const ALLOCATION_STATUSES = [
  "queued",
  "allocating",
  "building",
  "checking",
  "built",
  "failed",
] as const;
export type AllocationStatus = (typeof ALLOCATION_STATUSES)[number];
