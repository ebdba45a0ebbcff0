import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import type { AirdropStatus, RewardKind, RewardStatus, TokenType } from "../../domain/reward";
import { address, bytes, uint256 } from "./columns";
import { pointSystems } from "./point-systems";

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

export const rewards = pgTable(
  "rewards",
  {
    pointSystemId: uuid("point_system_id")
      .notNull()
      .references(() => pointSystems.id, { onDelete: "cascade" }),
    id: uuid().notNull().defaultRandom(),
    kind: text().$type<RewardKind>().notNull(),
    /** `CMP-` and a short code; token rewards only. */
    campaignId: text("campaign_id").unique(),
    campaignName: text("campaign_name").notNull(),
    tokenType: text("token_type").$type<TokenType>(),
    tokenAddress: address("token_address"),
    tokenSymbol: text("token_symbol"),
    tokenDecimals: integer("token_decimals"),
    chainId: integer("chain_id"),
    totalAmountWei: uint256("total_amount_wei"),
    minPoints: bigint("min_points", { mode: "number" }).notNull().default(0),
    maxPoints: bigint("max_points", { mode: "number" }),
    status: text().$type<RewardStatus>().notNull(),
    claimDeadline: moment("claim_deadline"),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.id] }),
    check("rewards_kind_known", sql`${table.kind} in ('token', 'giftcard')`),
    check(
      "rewards_status_known",
      sql`${table.status} in ('draft', 'active', 'distributed', 'cancelled')`,
    ),
    check(
      "rewards_token_type_known",
      sql`${table.tokenType} in ('ethereum', 'solana', 'bitcoin', 'usdc', 'usdt', 'custom')`,
    ),
    check("rewards_chain_supported", sql`${table.chainId} in (5031, 50312, 8453, 84532)`),
    check("rewards_campaign_id_shape", sql`${table.campaignId} ~ '^CMP-[0-9A-Za-z_-]{1,32}$'`),
    check("rewards_token_decimals_range", sql`${table.tokenDecimals} between 0 and 255`),
    check(
      "rewards_total_amount_range",
      sql`${table.totalAmountWei} between 0 and 2::numeric ^ 256 - 1`,
    ),
    check("rewards_min_points_range", sql`${table.minPoints} between 0 and 9007199254740991`),
    check("rewards_max_points_range", sql`${table.maxPoints} between 1 and 9007199254740991`),
    check(
      "rewards_token_terms",
      sql`${table.kind} = 'giftcard' or (${table.campaignId} is not null and ${table.tokenType} is not null and ${table.tokenSymbol} is not null and ${table.tokenDecimals} is not null and ${table.totalAmountWei} is not null)`,
    ),
  ],
);

/** A token reward's escrow on chain. */
export const airdrops = pgTable(
  "airdrops",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    rewardId: uuid("reward_id").notNull(),
    chainId: integer("chain_id").notNull(),
    contractAddress: address("contract_address").notNull(),
    onchainId: uint256("onchain_id").notNull(),
    status: text().$type<AirdropStatus>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.rewardId] }),
    foreignKey({
      name: "airdrops_reward",
      columns: [table.pointSystemId, table.rewardId],
      foreignColumns: [rewards.pointSystemId, rewards.id],
    }).onDelete("cascade"),
    unique("airdrops_onchain").on(table.chainId, table.contractAddress, table.onchainId),
    check(
      "airdrops_status_known",
      sql`${table.status} in ('building', 'ready', 'active', 'ended')`,
    ),
  ],
);

/** One merkle tree of a token reward. A bucket whose root is null has no proofs yet. */
export const merkleBuckets = pgTable(
  "merkle_buckets",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    rewardId: uuid("reward_id").notNull(),
    bucket: integer().notNull(),
    root: bytes(),
    totalAmountWei: uint256("total_amount_wei").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.rewardId, table.bucket] }),
    foreignKey({
      name: "merkle_buckets_reward",
      columns: [table.pointSystemId, table.rewardId],
      foreignColumns: [rewards.pointSystemId, rewards.id],
    }).onDelete("cascade"),
    check("merkle_buckets_root_length", sql`octet_length(${table.root}) = 32`),
  ],
);

/** What one address gets of a token reward. */
export const distributions = pgTable(
  "distributions",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    rewardId: uuid("reward_id").notNull(),
    address: address().notNull(),
    id: uuid().notNull().defaultRandom(),
    amountWei: uint256("amount_wei").notNull(),
    /** Bucket and leaf are null until the merkle tree is built. */
    bucket: integer(),
    leafIndex: integer("leaf_index"),
    distributedAt: moment("distributed_at").notNull().defaultNow(),
    claimedAt: moment("claimed_at"),
    claimTxHash: bytes("claim_tx_hash"),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.rewardId, table.address] }),
    unique("distributions_id").on(table.pointSystemId, table.id),
    unique("distributions_leaf").on(
      table.pointSystemId,
      table.rewardId,
      table.bucket,
      table.leafIndex,
    ),
    index("distributions_wallet").on(table.pointSystemId, table.address),
    foreignKey({
      name: "distributions_reward",
      columns: [table.pointSystemId, table.rewardId],
      foreignColumns: [rewards.pointSystemId, rewards.id],
    }).onDelete("cascade"),
    check("distributions_address_length", sql`octet_length(${table.address}) = 20`),
    check("distributions_amount_range", sql`${table.amountWei} between 0 and 2::numeric ^ 256 - 1`),
    check(
      "distributions_leaf_whole",
      sql`(${table.bucket} is null) = (${table.leafIndex} is null)`,
    ),
    check("distributions_claim_tx_hash_length", sql`octet_length(${table.claimTxHash}) = 32`),
  ],
);

export const giftCardTiers = pgTable(
  "gift_card_tiers",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    rewardId: uuid("reward_id").notNull(),
    label: text().notNull(),
    position: integer().notNull(),
    minPoints: bigint("min_points", { mode: "number" }),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.rewardId, table.label] }),
    foreignKey({
      name: "gift_card_tiers_reward",
      columns: [table.pointSystemId, table.rewardId],
      foreignColumns: [rewards.pointSystemId, rewards.id],
    }).onDelete("cascade"),
  ],
);

/** One code, encrypted; in the pool while it has no address. */
export const giftCards = pgTable(
  "gift_cards",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    rewardId: uuid("reward_id").notNull(),
    id: uuid().notNull().defaultRandom(),
    tierLabel: text("tier_label").notNull(),
    address: address(),
    /** AES-256-GCM: ciphertext and tag; the row and its reward are the associated data. */
    codeCiphertext: bytes("code_ciphertext").notNull(),
    codeNonce: bytes("code_nonce").notNull(),
    codeKeyId: text("code_key_id").notNull(),
    isRevealed: boolean("is_revealed").notNull().default(false),
    distributedAt: moment("distributed_at"),
    claimedAt: moment("claimed_at"),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.rewardId, table.id] }),
    unique("gift_cards_id").on(table.pointSystemId, table.id),
    index("gift_cards_wallet").on(table.pointSystemId, table.address),
    foreignKey({
      name: "gift_cards_tier",
      columns: [table.pointSystemId, table.rewardId, table.tierLabel],
      foreignColumns: [giftCardTiers.pointSystemId, giftCardTiers.rewardId, giftCardTiers.label],
    }).onDelete("cascade"),
    check("gift_cards_address_length", sql`octet_length(${table.address}) = 20`),
    check("gift_cards_nonce_length", sql`octet_length(${table.codeNonce}) = 12`),
  ],
);
