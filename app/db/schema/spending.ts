import { sql } from "drizzle-orm";
import {
  bigint,
  check,
  index,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { address, bytes, moment } from "./columns";

// Like the ledger's tables, these have no foreign keys: every writer holds the ledger lock.

/**
 * The ledger of spent points: spends, their reversals, and moves of a wallet's sum to another wallet. It is
 * append-only: a database trigger refuses every update and delete.
 */
export const spends = pgTable(
  "spends",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    id: uuid().notNull(),
    /** Ascends in commit order within a point system; gaps have no meaning. */
    seq: bigint({ mode: "number" }).notNull().generatedAlwaysAsIdentity(),
    address: address().notNull(),
    /** The linked wallet that the call of a spend named in place of its primary one; otherwise null. */
    namedAddress: address("named_address"),
    /** The change of the wallet's spent points: a reversal has the negative of its spend's. */
    points: bigint({ mode: "number" }).notNull(),
    /** The wallet's balance after it; null for a move, which is one step of several. */
    balance: bigint({ mode: "number" }),
    /** The caller's words for a spend; an operator's for a reversal, or null. */
    reason: text(),
    createdAt: moment("created_at").notNull(),
    /** The key that spent or reversed; null for what was made otherwise. */
    apiKeyId: uuid("api_key_id"),
    /** The operator who reversed it by hand. */
    operatorId: uuid("operator_id"),
    /** The spend that this row gives back. */
    reverses: uuid(),
    /** The other wallet of a move. A move is a pair of rows whose points add up to 0. */
    movedWith: address("moved_with"),
    /** The first 16 bytes of SHA-256 of the API key's id, the point system's id and the idempotency key. */
    digest: bytes(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.id] }),
    index("spends_order").on(table.pointSystemId, table.seq),
    index("spends_feed").on(table.pointSystemId, table.createdAt, table.id),
    index("spends_of_wallet").on(table.pointSystemId, table.address, table.createdAt, table.id),
    uniqueIndex("spends_reverses")
      .on(table.pointSystemId, table.reverses)
      .where(sql`${table.reverses} is not null`),
    uniqueIndex("spends_digest")
      .on(table.pointSystemId, table.digest)
      .where(sql`${table.digest} is not null`),
    check("spends_address_length", sql`octet_length(${table.address}) = 20`),
    check(
      "spends_shape",
      sql`case
        when ${table.movedWith} is not null
          then ${table.points} <> 0 and num_nonnulls(${table.reverses}, ${table.balance}) = 0
        when ${table.balance} is null then false
        when ${table.reverses} is not null then ${table.points} between -1000000000 and -1
        else ${table.points} between 1 and 1000000000 and ${table.reason} is not null
      end`,
    ),
    check("spends_balance_range", sql`${table.balance} between 0 and 9007199254740991`),
    check("spends_reason_length", sql`length(${table.reason}) between 1 and 500`),
  ],
);

/** The sum of each wallet's rows in `spends`. A wallet that never spent has none. */
export const walletSpending = pgTable(
  "wallet_spending",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    address: address().notNull(),
    spent: bigint({ mode: "number" }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.address] }),
    check("wallet_spending_range", sql`${table.spent} between 0 and 9007199254740991`),
  ],
);
