export type RewardKind = "token" | "giftcard";

/** The statuses of a reward. The API answers only `active` and `distributed` rewards. */
export const REWARD_STATUSES = ["draft", "active", "distributed", "cancelled"] as const;
export type RewardStatus = (typeof REWARD_STATUSES)[number];

/**
 * The token types: `ethereum` is a native chain coin; `custom`, `usdc` and `usdt` are ERC-20
 * tokens.
 */
export const TOKEN_TYPES = ["ethereum", "solana", "bitcoin", "usdc", "usdt", "custom"] as const;
export type TokenType = (typeof TOKEN_TYPES)[number];

/** The statuses of an airdrop's escrow on chain. */
export const AIRDROP_STATUSES = ["building", "ready", "active", "ended"] as const;
export type AirdropStatus = (typeof AIRDROP_STATUSES)[number];

/** The chains on which a reward can be claimed. */
export const REWARD_CHAIN_IDS = [5031, 50312, 8453, 84532] as const;

/**
 * The steps of a token reward's split: waiting for the job; points read and amounts computed;
 * merkle trees built; proofs checked by another library; done; failed.
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
