import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { address, bytes } from "./columns";

// These tables have no foreign keys: one would cost a look-up of the point system's row for each
// credit. Every writer holds the ledger lock and has read the point system in the same transaction.

/** The points of each address in a point system: the sum of its events. */
export const wallets = pgTable(
  "wallets",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    address: address().notNull(),
    points: bigint({ mode: "number" }).notNull().default(0),
    events: bigint({ mode: "number" }).notNull().default(0),
    /** Mirrors `blacklist`, so that the board's index can omit these wallets. */
    isBlacklisted: boolean("is_blacklisted").notNull().default(false),
    createdAt: timestamp("created_at", { withTimezone: true, precision: 3 }).notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.address] }),
    // The leaderboard's order, and the wallets ahead of one.
    index("wallets_board")
      .on(table.pointSystemId, table.points.desc().nullsFirst(), table.address)
      .where(sql`not ${table.isBlacklisted}`),
    check("wallets_address_length", sql`octet_length(${table.address}) = 20`),
    check("wallets_points_range", sql`${table.points} between 0 and 9007199254740991`),
    check("wallets_events_range", sql`${table.events} >= 0`),
  ],
);

/** The ledger. It is append-only: a database trigger refuses every update and delete. */
export const pointEvents = pgTable(
  "point_events",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    id: uuid().notNull(),
    /** Ascends in commit order within a point system; gaps have no meaning. */
    seq: bigint({ mode: "number" }).notNull().generatedAlwaysAsIdentity(),
    address: address().notNull(),
    points: bigint({ mode: "number" }).notNull(),
    /** The wallet's total after this event. */
    balance: bigint({ mode: "number" }).notNull(),
    /** The trigger key, or null for a manual grant. */
    event: text(),
    createdAt: timestamp("created_at", { withTimezone: true, precision: 3 }).notNull(),
    apiKeyId: uuid("api_key_id"),
    /** True when a credit through the API created the wallet's entry, otherwise null. */
    opensWallet: boolean("opens_wallet"),
    /** The event that this one takes back: this is then a correction with negative points. */
    voids: uuid(),
    /** The operator who granted, imported or voided it by hand, the reason, and the import. */
    operatorId: uuid("operator_id"),
    note: text(),
    importId: uuid("import_id"),
    /** The time that the caller gave, at most 30 days before `createdAt`. */
    occurredAt: timestamp("occurred_at", { withTimezone: true, precision: 3 }),
    /** The caller's own data: a flat JSON object of at most 2 KiB. */
    metadata: jsonb().$type<Readonly<Record<string, unknown>>>(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.id] }),
    index("point_events_seq").on(table.pointSystemId, table.seq),
    // Serves GET /activity of a point system, read backwards; corrections are found by the voided
    // event.
    index("point_events_feed")
      .on(table.pointSystemId, table.createdAt, table.id)
      .where(sql`${table.voids} is null`),
    // Serves GET /activity of a wallet, and the trigger limit's last minute.
    index("point_events_wallet_feed")
      .on(table.pointSystemId, table.address, table.createdAt, table.id)
      .where(sql`${table.voids} is null`),
    // An event is voided at most once; the feed omits both it and its correction.
    uniqueIndex("point_events_voids")
      .on(table.pointSystemId, table.voids)
      .where(sql`${table.voids} is not null`),
    // Serves the undoing of an import.
    index("point_events_import")
      .on(table.pointSystemId, table.importId, table.seq)
      .where(sql`${table.importId} is not null`),
    check("point_events_address_length", sql`octet_length(${table.address}) = 20`),
    check(
      "point_events_points_range",
      sql`case when ${table.voids} is null then ${table.points} else -${table.points} end between 1 and 1000000000`,
    ),
    check("point_events_correction_shape", sql`${table.voids} is null or ${table.event} is null`),
    check("point_events_balance_range", sql`${table.balance} between 0 and 9007199254740991`),
    check("point_events_note_length", sql`length(${table.note}) between 1 and 500`),
  ],
);

const idempotencyColumns = {
  pointSystemId: uuid("point_system_id").notNull(),
  /** The first 16 bytes of SHA-256 of the API key's id, the point system's id and the key. */
  digest: bytes().notNull(),
  /** The first 16 bytes of SHA-256 of the call's wallet, trigger key and points. */
  request: bytes().notNull(),
  /** The points that the call added. */
  points: bigint({ mode: "number" }).notNull(),
  createdAt: timestamp("created_at", { withTimezone: true, precision: 3 }).notNull(),
};

/**
 * The credited calls that had an `Idempotency-Key`. A key belongs to an API key and a point system,
 * and the ledger lock makes it unique.
 */
export const idempotencyRecords = pgTable("idempotency_records", idempotencyColumns, (table) => [
  index("idempotency_records_digest").on(table.digest),
]);

/** The records of the turn before, which is dropped whole: app/db/functions/turn_idempotency_records.sql. */
export const idempotencyRecordsBefore = pgTable(
  "idempotency_records_before",
  idempotencyColumns,
  (table) => [index("idempotency_records_before_digest").on(table.digest)],
);

/** One row: the time at which the present turn of idempotency records began. */
export const idempotencyTurns = pgTable("idempotency_turns", {
  beganAt: timestamp("began_at", { withTimezone: true, precision: 3 }).notNull().defaultNow(),
});

/** Counts that pages and ranks need at once. The statements that change them keep them current. */
export const pointSystemTotals = pgTable(
  "point_system_totals",
  {
    pointSystemId: uuid("point_system_id").primaryKey(),
    wallets: bigint({ mode: "number" }).notNull().default(0),
    /** The number of blacklisted wallets, which are not on the board. */
    blacklistedWallets: bigint("blacklisted_wallets", { mode: "number" }).notNull().default(0),
    events: bigint({ mode: "number" }).notNull().default(0),
  },
  (table) => [
    check(
      "point_system_totals_range",
      sql`${table.wallets} >= ${table.blacklistedWallets} and ${table.blacklistedWallets} >= 0 and ${table.events} >= 0`,
    ),
  ],
);

/** Addresses that earn nothing and are on no board; a wallet entry need not exist. */
export const blacklist = pgTable(
  "blacklist",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    address: address().notNull(),
    reason: text(),
    createdAt: timestamp("created_at", { withTimezone: true, precision: 3 }).notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.address] }),
    // Lists the blacklist, newest first.
    index("blacklist_feed").on(table.pointSystemId, table.createdAt, table.address),
    check("blacklist_address_length", sql`octet_length(${table.address}) = 20`),
  ],
);
