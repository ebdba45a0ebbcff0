import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
} from "drizzle-orm/pg-core";
import { address, bytes, moment, uint256 } from "./columns";

// Facts from the chains, by chain and contract. They belong to no point system.

/** The start block until an endpoint has answered. */
export const START_UNKNOWN = -1;

/**
 * The state of indexing a campaign contract's claims: its progress, its leader, its last result.
 */
export const claimIndexers = pgTable(
  "claim_indexers",
  {
    chainId: integer("chain_id").notNull(),
    contract: address().notNull(),
    /** Grows with each leader. A writer states its own epoch and writes nothing with an old one. */
    epoch: bigint({ mode: "number" }).notNull().default(0),
    /** The leading process's own name. */
    leader: text(),
    ledSince: moment("led_since"),
    /** The last time at which the leader reported itself alive. */
    aliveAt: moment("alive_at"),
    /** The first block that is read. */
    startBlock: bigint("start_block", { mode: "number" }).notNull().default(START_UNKNOWN),
    /** The last final block up to which the claims are stored. */
    finalBlock: bigint("final_block", { mode: "number" }).notNull().default(START_UNKNOWN),
    /**
     * The newest block up to which the claims are stored, and its hash. The block may still be
     * dropped.
     */
    headBlock: bigint("head_block", { mode: "number" }),
    headHash: bytes("head_hash"),
    /** The time at which the head was first seen at this height. */
    headSeenAt: moment("head_seen_at"),
    /** The chain's last final block when it was last read. `final_block` follows it. */
    chainFinalBlock: bigint("chain_final_block", { mode: "number" }),
    /** The index of the chain's endpoint that is asked first. */
    provider: integer().notNull().default(0),
    succeededAt: moment("succeeded_at"),
    failedAt: moment("failed_at"),
    /** The reason why the last look failed: a ChainProblem. Null when it succeeded. */
    failure: text(),
    claims: bigint({ mode: "number" }).notNull().default(0),
    reorgs: integer().notNull().default(0),
    claimsUndone: integer("claims_undone").notNull().default(0),
    /**
     * The time and the result of the last comparison of the claims with the contract's own records.
     */
    reconciledAt: moment("reconciled_at"),
    bucketsCompared: integer("buckets_compared").notNull().default(0),
    bucketsDiffering: integer("buckets_differing").notNull().default(0),
    rescans: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.contract] }),
    check(
      "claim_indexers_head_whole",
      sql`(${table.headBlock} is null) = (${table.headHash} is null)`,
    ),
  ],
);

/** The contract's own record of each claim. */
export const claims = pgTable(
  "claims",
  {
    chainId: integer("chain_id").notNull(),
    contract: address().notNull(),
    txHash: bytes("tx_hash").notNull(),
    logIndex: integer("log_index").notNull(),
    blockNumber: bigint("block_number", { mode: "number" }).notNull(),
    blockHash: bytes("block_hash").notNull(),
    minedAt: moment("mined_at").notNull(),
    onchainId: uint256("onchain_id").notNull(),
    account: address().notNull(),
    amountWei: uint256("amount_wei").notNull(),
    /** True when the claim's block can no longer be dropped. */
    isFinal: boolean("is_final").notNull(),
    /** The reason why a claim of a known airdrop is not applied: a ClaimProblem. */
    problem: text(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.contract, table.txHash, table.logIndex] }),
    index("claims_block").on(table.chainId, table.contract, table.blockNumber),
    index("claims_account").on(table.chainId, table.contract, table.onchainId, table.account),
    index("claims_problem")
      .on(table.chainId, table.contract, table.blockNumber)
      .where(sql`${table.problem} is not null`),
    check("claims_tx_hash_length", sql`octet_length(${table.txHash}) = 32`),
    check("claims_block_hash_length", sql`octet_length(${table.blockHash}) = 32`),
    check("claims_problem_known", sql`${table.problem} in ('no_share', 'amount_differs')`),
  ],
);
