import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
} from "drizzle-orm/pg-core";
import { address, bytes, moment, uint256 } from "./columns";

// Facts from the chains. They belong to no point system.

/** The final block until an endpoint has answered. */
export const BLOCK_UNKNOWN = -1;

/** The state of following a chain: its lease, its progress, its last result. */
export const chainFollowers = pgTable(
  "chain_followers",
  {
    chainId: integer("chain_id").primaryKey(),
    /** Grows with each leader. A writer states its own epoch and writes nothing with an old one. */
    epoch: bigint({ mode: "number" }).notNull().default(0),
    /** The leader's own name. */
    leader: text(),
    ledSince: moment("led_since"),
    /** The time at which the lease ends unless its leader renews it. */
    leaseUntil: moment("lease_until"),
    /** Whether the leader is in the middle of a look. */
    isLooking: boolean("is_looking").notNull().default(false),
    /** The last block up to which all logs are stored for good. */
    finalBlock: bigint("final_block", { mode: "number" }).notNull().default(BLOCK_UNKNOWN),
    /** The chain's last final block that was agreed on. `final_block` follows it. */
    agreedBlock: bigint("agreed_block", { mode: "number" }),
    agreedHash: bytes("agreed_hash"),
    agreedMinedAt: moment("agreed_mined_at"),
    /** The block up to which webhooks heard of claims. It stays when final blocks are read again. */
    confirmedBlock: bigint("confirmed_block", { mode: "number" }).notNull().default(BLOCK_UNKNOWN),
    /** The newest block up to which logs are stored. It may still be dropped. */
    headBlock: bigint("head_block", { mode: "number" }),
    headHash: bytes("head_hash"),
    headMinedAt: moment("head_mined_at"),
    /** The time at which the head was first seen at this height. */
    headSeenAt: moment("head_seen_at"),
    /** The index of the chain's endpoint that is asked first. */
    endpoint: integer().notNull().default(0),
    succeededAt: moment("succeeded_at"),
    failedAt: moment("failed_at"),
    /** The reason why the last look failed: a ChainProblem. Null when it succeeded. */
    failure: text(),
    claims: bigint({ mode: "number" }).notNull().default(0),
    reorgs: integer().notNull().default(0),
    claimsUndone: integer("claims_undone").notNull().default(0),
    /** The alarms about blocks that were final: how many, the last one's time and words. */
    contradictions: integer().notNull().default(0),
    contradictedAt: moment("contradicted_at"),
    contradiction: text(),
    /** The time and the result of the last comparison with the contracts' own books. */
    reconciledAt: moment("reconciled_at"),
    bucketsCompared: integer("buckets_compared").notNull().default(0),
    bucketsDiffering: integer("buckets_differing").notNull().default(0),
    rescans: integer().notNull().default(0),
  },
  (table) => [
    check(
      "chain_followers_head_whole",
      sql`(${table.headBlock} is null) = (${table.headHash} is null)`,
    ),
  ],
);

/** The contracts that are followed, each from a block on. */
export const chainContracts = pgTable(
  "chain_contracts",
  {
    chainId: integer("chain_id").notNull(),
    contract: address().notNull(),
    fromBlock: bigint("from_block", { mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.contract] })],
);

/** The logs of the campaign contracts, in blocks that are on the chain as far as is known. */
export const chainLogs = pgTable(
  "chain_logs",
  {
    chainId: integer("chain_id").notNull(),
    contract: address().notNull(),
    blockNumber: bigint("block_number", { mode: "number" }).notNull(),
    blockHash: bytes("block_hash").notNull(),
    logIndex: integer("log_index").notNull(),
    txHash: bytes("tx_hash").notNull(),
    minedAt: moment("mined_at").notNull(),
    kind: text().notNull(),
    onchainId: uint256("onchain_id").notNull(),
    /** A claim's wallet; the admin of a creation or of a change of admin. */
    account: address(),
    /** The amount of a claim, or of a refund. */
    amountWei: uint256("amount_wei"),
    /** The root of a claim's bucket; null for a claim that an earlier version stored. */
    root: bytes(),
    /** The other fields of the event. */
    fields: jsonb().$type<Readonly<Record<string, unknown>>>(),
    /** The reason why a claim of a known airdrop is not applied. */
    problem: text(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.blockHash, table.logIndex] }),
    index("chain_logs_block").on(table.chainId, table.blockNumber),
    index("chain_logs_tx").on(table.chainId, table.txHash),
    index("chain_logs_claim")
      .on(table.chainId, table.contract, table.onchainId, table.account)
      .where(sql`${table.kind} = 'claim'`),
    index("chain_logs_airdrop")
      .on(table.chainId, table.contract, table.onchainId)
      .where(sql`${table.kind} <> 'claim'`),
    index("chain_logs_ref")
      .on(table.chainId, sql`(${table.fields} ->> 'ref')`)
      .where(sql`${table.kind} = 'creation'`),
    index("chain_logs_problem").on(table.chainId).where(sql`${table.problem} is not null`),
    check(
      "chain_logs_kind_known",
      sql`${table.kind} in ('creation', 'buckets', 'claim', 'refund', 'cancellation', 'admin', 'deadline')`,
    ),
    check("chain_logs_block_hash_length", sql`octet_length(${table.blockHash}) = 32`),
    check("chain_logs_tx_hash_length", sql`octet_length(${table.txHash}) = 32`),
    check("chain_logs_root_length", sql`octet_length(${table.root}) = 32`),
    check("chain_logs_problem_known", sql`${table.problem} in ('no_share', 'amount_differs')`),
    check(
      "chain_logs_claim_whole",
      sql`${table.kind} <> 'claim' or (${table.account} is not null and ${table.amountWei} is not null)`,
    ),
  ],
);
