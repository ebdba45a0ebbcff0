import { sql } from "drizzle-orm";
import {
  bigint,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import type {
  AirdropStatus,
  AllocationStatus,
  RewardKind,
  RewardStatus,
  TokenType,
} from "../../domain/rewards/reward";
import { address, bytes, moment, uint256 } from "./columns";
import { pointSystems } from "./point-systems";

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
    /**
     * The time at which symbol and decimals were read from the chain; null when an operator typed
     * them.
     */
    tokenReadAt: moment("token_read_at"),
    chainId: integer("chain_id"),
    totalAmountWei: uint256("total_amount_wei"),
    minPoints: bigint("min_points", { mode: "number" }).notNull().default(0),
    maxPoints: bigint("max_points", { mode: "number" }),
    /** The board whose points are counted, by its name in calls; null for all points. */
    pointsBoard: text("points_board"),
    /** The window of that board. Its id is never used again, whatever becomes of the board. */
    pointsWindowId: uuid("points_window_id"),
    /** The first campaign of the family; null for a campaign that is the first. */
    familyId: uuid("family_id"),
    status: text().$type<RewardStatus>().notNull(),
    claimDeadline: moment("claim_deadline"),
    /** The IANA time zone in which the deadline was set and is shown. */
    deadlineTimeZone: text("deadline_time_zone"),
    createdAt: moment("created_at").notNull().defaultNow(),
    publishedAt: moment("published_at"),
    distributedAt: moment("distributed_at"),
    cancelledAt: moment("cancelled_at"),
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
    check(
      "rewards_points_board_whole",
      sql`(coalesce(${table.pointsBoard}, 'balance') = 'balance') = (${table.pointsWindowId} is null) and (${table.pointsBoard} is null or ${table.familyId} is null)`,
    ),
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

/**
 * An allocation: a split of a token reward among wallets, at one position of the ledger. Round 0 is
 * the reward's own split; later rounds pay wallets that became eligible since, from separate
 * amounts. The row is the state of the job that builds it.
 */
export const allocations = pgTable(
  "allocations",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    rewardId: uuid("reward_id").notNull(),
    round: integer().notNull(),
    status: text().$type<AllocationStatus>().notNull(),
    totalAmountWei: uint256("total_amount_wei").notNull(),
    /** The chosen number of wallets in a merkle tree; null for the service's choice. */
    bucketSizeChosen: integer("bucket_size_chosen"),
    /** The number of wallets in a merkle tree, once it is settled. */
    bucketSize: integer("bucket_size"),
    /** The time of the ledger whose points were used as weights. */
    snapshotAt: moment("snapshot_at"),
    wallets: integer(),
    /** The sum of all weights, from which every share can be computed again. */
    totalWeight: uint256("total_weight"),
    /** Wallets done in the step that `status` names. */
    walletsDone: integer("wallets_done").notNull().default(0),
    /** The reason of a failure, in words for the operator. */
    failure: text(),
    createdAt: moment("created_at").notNull().defaultNow(),
    builtAt: moment("built_at"),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.rewardId, table.round] }),
    foreignKey({
      name: "allocations_reward",
      columns: [table.pointSystemId, table.rewardId],
      foreignColumns: [rewards.pointSystemId, rewards.id],
    }).onDelete("cascade"),
    check(
      "allocations_status_known",
      sql`${table.status} in ('queued', 'allocating', 'building', 'checking', 'built', 'failed')`,
    ),
    check("allocations_bucket_size_range", sql`${table.bucketSize} between 1 and 1048576`),
  ],
);

/** A token reward's escrow on chain. */
export const airdrops = pgTable(
  "airdrops",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    rewardId: uuid("reward_id").notNull(),
    chainId: integer("chain_id").notNull(),
    /** Contract and id are null until the creation was found on chain and accepted. */
    contractAddress: address("contract_address"),
    onchainId: uint256("onchain_id"),
    status: text().$type<AirdropStatus>().notNull(),
    /**
     * The wallet that the operator named: the admin of the creation. It may add buckets, cancel and
     * take refunds on chain.
     */
    adminAddress: address("admin_address"),
    /** The admin who was named here before the present one, if there was one. */
    formerAdminAddress: address("former_admin_address"),
    /** The time at which the present admin was named here. */
    adminNamedAt: moment("admin_named_at"),
    creationTxHash: bytes("creation_tx_hash"),
    creationBlock: bigint("creation_block", { mode: "number" }),
    createdOnchainAt: moment("created_onchain_at"),
    cancelledOnchainAt: moment("cancelled_onchain_at"),
    refundedWei: uint256("refunded_wei").notNull().default(sql`0`),
    /** The chain's head when the admin was named: the creation is in a later block. */
    adminNamedBlock: bigint("admin_named_block", { mode: "number" }),
    /** The admin on chain; null until the creation was found. */
    chainAdminAddress: address("chain_admin_address"),
    /** The deadline of the creation, once the admin extended it on chain. */
    plannedDeadline: moment("planned_deadline"),
    /** The time at which the ended airdrop's final books were found equal to the contract's. */
    booksClosedAt: moment("books_closed_at"),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.rewardId] }),
    foreignKey({
      name: "airdrops_reward",
      columns: [table.pointSystemId, table.rewardId],
      foreignColumns: [rewards.pointSystemId, rewards.id],
    }).onDelete("cascade"),
    unique("airdrops_onchain").on(table.chainId, table.contractAddress, table.onchainId),
    index("airdrops_onchain_id").on(table.chainId, table.onchainId),
    check(
      "airdrops_status_known",
      sql`${table.status} in ('building', 'ready', 'active', 'ended')`,
    ),
    check(
      "airdrops_onchain_whole",
      sql`(${table.contractAddress} is null) = (${table.onchainId} is null) and (${table.status} <> 'active' or ${table.onchainId} is not null)`,
    ),
    check("airdrops_creation_tx_hash_length", sql`octet_length(${table.creationTxHash}) = 32`),
  ],
);

/** A merkle tree of a token reward. A bucket whose root is null has no proofs yet. */
export const merkleBuckets = pgTable(
  "merkle_buckets",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    rewardId: uuid("reward_id").notNull(),
    bucket: integer().notNull(),
    /** The allocation of the bucket. */
    round: integer().notNull().default(0),
    root: bytes(),
    totalAmountWei: uint256("total_amount_wei").notNull(),
    /**
     * The time at which the chain's record of the bucket was found; null while it is not funded
     * there.
     */
    fundedAt: moment("funded_at"),
    fundingTxHash: bytes("funding_tx_hash"),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.rewardId, table.bucket] }),
    foreignKey({
      name: "merkle_buckets_reward",
      columns: [table.pointSystemId, table.rewardId],
      foreignColumns: [rewards.pointSystemId, rewards.id],
    }).onDelete("cascade"),
    check("merkle_buckets_root_length", sql`octet_length(${table.root}) = 32`),
    check("merkle_buckets_funding_tx_hash_length", sql`octet_length(${table.fundingTxHash}) = 32`),
  ],
);

/**
 * The public files of a campaign's trees. A file is written from its head and the trees of its rounds, which
 * never change, so that the hash names the same bytes for ever.
 */
export const treeFiles = pgTable(
  "tree_files",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    rewardId: uuid("reward_id").notNull(),
    sha256: bytes().notNull(),
    /** The airdrop that the file names. */
    contractAddress: address("contract_address").notNull(),
    onchainId: uint256("onchain_id").notNull(),
    /** The rounds whose trees are in the file, ascending. */
    rounds: integer().array().notNull(),
    /** The lines before the trees. */
    head: text().notNull(),
    length: bigint({ mode: "number" }).notNull(),
    madeAt: moment("made_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.rewardId, table.sha256] }),
    foreignKey({
      name: "tree_files_reward",
      columns: [table.pointSystemId, table.rewardId],
      foreignColumns: [rewards.pointSystemId, rewards.id],
    }).onDelete("cascade"),
    check("tree_files_sha256_length", sql`octet_length(${table.sha256}) = 32`),
  ],
);

/** The share of one address in a token reward. */
export const distributions = pgTable(
  "distributions",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    rewardId: uuid("reward_id").notNull(),
    address: address().notNull(),
    id: uuid().notNull().defaultRandom(),
    /** The allocation of the share. */
    round: integer().notNull().default(0),
    /** The wallet's points at the snapshot; null when the amount came from outside. */
    points: bigint({ mode: "number" }),
    amountWei: uint256("amount_wei").notNull(),
    /** Bucket and leaf are null until the merkle tree is built. */
    bucket: integer(),
    leafIndex: integer("leaf_index"),
    distributedAt: moment("distributed_at").notNull().defaultNow(),
    claimedAt: moment("claimed_at"),
    claimTxHash: bytes("claim_tx_hash"),
    /** The operator's reference of a payout that was made by hand; null for one by the contract. */
    payoutReference: text("payout_reference"),
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
    // For a campaign's progress: the number and the sum of claims.
    index("distributions_claimed")
      .on(table.pointSystemId, table.rewardId, table.amountWei)
      .where(sql`${table.claimedAt} is not null`),
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
    check(
      "distributions_payout_whole",
      sql`${table.payoutReference} is null or (${table.claimedAt} is not null and ${table.claimTxHash} is null)`,
    ),
  ],
);
