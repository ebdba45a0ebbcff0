import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { address, bytes, moment } from "./columns";

// These tables have no foreign keys: one would cost a look-up of the point system's row for each
// credit. Every writer holds the ledger lock and has read the point system in the same transaction.

/**
 * The points of each address on a board: the sum of its events there. On the all-time board the `point_system_id` is the
 * point system's; on another, it is the id of the window (`board_windows`), and wallets without points have no row.
 */
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
    /** No credit through the API is later: before it, the trigger limit has nothing to count. */
    lastCreditAt: timestamp("last_credit_at", { withTimezone: true, precision: 3 })
      .notNull()
      .defaultNow(),
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

/** The ledger. It is append-only: a database trigger refuses every update and delete of what is not archived. */
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
    /** The time of the event that this one takes back. */
    voidsCreatedAt: timestamp("voids_created_at", { withTimezone: true, precision: 3 }),
    /** The operator who granted, imported or voided it by hand, the reason, and the import. */
    operatorId: uuid("operator_id"),
    note: text(),
    importId: uuid("import_id"),
    /** The time that the caller gave, at most 30 days before `createdAt`. */
    occurredAt: timestamp("occurred_at", { withTimezone: true, precision: 3 }),
    /** The caller's own data: a flat JSON object of at most 2 KiB. */
    metadata: jsonb().$type<Readonly<Record<string, unknown>>>(),
    /**
     * The wallet's points after a credit through the API on each open board, by `board_windows.place`; null when no
     * board beside the all-time one was open.
     */
    boardPoints: bigint("board_points", { mode: "number" }).array(),
    /** The points before a boost, and its factor; null when none was applied. */
    basePoints: bigint("base_points", { mode: "number" }),
    boostFactor: numeric("boost_factor", { precision: 5, scale: 2, mode: "number" }),
    /**
     * The linked wallet that the call named, of a credit; the wallet of the voided event, of a correction at the wallet
     * that has its points now; the other wallet, of a move.
     */
    namedAddress: address("named_address"),
    /**
     * The number of events that the moved points stand for, negative where they leave; only the two events of a move to a
     * primary wallet have it. The second one voids the first, so readers that leave out voided events leave out both.
     */
    movedEvents: bigint("moved_events", { mode: "number" }),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.seq] }),
    // The order of GET /activity, read backwards. Without an index of ids alone, an event is found by its time and
    // its id. Another index, point_events_wallet_feed, stands with its function wallet_time_key.
    index("point_events_feed").on(table.pointSystemId, table.createdAt, table.id),
    // What was not credited through the API has ids from forms, files and fixtures: each counts once.
    uniqueIndex("point_events_by_hand")
      .on(table.pointSystemId, table.id)
      .where(sql`${table.apiKeyId} is null`),
    // An event is voided at most once; the feed omits both it and its correction.
    uniqueIndex("point_events_voids")
      .on(table.pointSystemId, table.voids)
      .where(sql`${table.voids} is not null`),
    // Serves the undoing of an import.
    index("point_events_import")
      .on(table.pointSystemId, table.importId, table.seq)
      .where(sql`${table.importId} is not null`),
    // Finds the wallet that has the points of an event now.
    index("point_events_moves")
      .on(table.pointSystemId, table.address, table.seq)
      .where(sql`${table.movedEvents} < 0`),
    // Find the corrections that stand at another wallet than their events, from either wallet.
    index("point_events_corrected_at")
      .on(table.pointSystemId, table.address)
      .where(sql`${table.voids} is not null and ${table.namedAddress} is not null`),
    index("point_events_corrected_of")
      .on(table.pointSystemId, table.namedAddress)
      .where(sql`${table.voids} is not null and ${table.namedAddress} is not null`),
    check("point_events_address_length", sql`octet_length(${table.address}) = 20`),
    check(
      "point_events_points_range",
      sql`case when ${table.voids} is null then ${table.points} else -${table.points} end between 1 and 1000000000 or ${table.movedEvents} is not null`,
    ),
    check(
      "point_events_move_shape",
      sql`${table.movedEvents} is null or ${table.namedAddress} is not null and case when ${table.voids} is null then ${table.points} < 0 and ${table.movedEvents} < 0 else ${table.points} > 0 and ${table.movedEvents} > 0 end`,
    ),
    check("point_events_named_length", sql`octet_length(${table.namedAddress}) = 20`),
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
  index("idempotency_records_digest").using("hash", table.digest),
]);

/** The records of the turn before, which is dropped whole: app/db/functions/turn_idempotency_records.sql. */
export const idempotencyRecordsBefore = pgTable(
  "idempotency_records_before",
  idempotencyColumns,
  (table) => [index("idempotency_records_before_digest").using("hash", table.digest)],
);

/** One row: the time at which the present turn of idempotency records began. */
export const idempotencyTurns = pgTable("idempotency_turns", {
  beganAt: timestamp("began_at", { withTimezone: true, precision: 3 }).notNull().defaultNow(),
});

/**
 * The ids of credits that were given up after their connection was lost. A statement that arrives late finds its id
 * here and credits nothing.
 */
export const withdrawnCredits = pgTable(
  "withdrawn_credits",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    id: uuid().notNull(),
    createdAt: timestamp("created_at", { withTimezone: true, precision: 3 }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.pointSystemId, table.id] })],
);

/**
 * Counts that pages and ranks need at once, without the credits through the API behind `counted_seq`: `read_totals` adds
 * those. A row that each credit changed would get a version for each, which all readers pass over while any transaction
 * of the database is older.
 */
export const pointSystemTotals = pgTable(
  "point_system_totals",
  {
    pointSystemId: uuid("point_system_id").primaryKey(),
    wallets: bigint({ mode: "number" }).notNull().default(0),
    /** The number of blacklisted wallets, which are not on the board. */
    blacklistedWallets: bigint("blacklisted_wallets", { mode: "number" }).notNull().default(0),
    events: bigint({ mode: "number" }).notNull().default(0),
    /** The ledger position up to which credits through the API are counted. */
    countedSeq: bigint("counted_seq", { mode: "number" }).notNull().default(0),
    /** Those of the events that are in archives, and the time before which events were archived. */
    archivedEvents: bigint("archived_events", { mode: "number" }).notNull().default(0),
    archivedBefore: moment("archived_before"),
  },
  (table) => [
    check(
      "point_system_totals_range",
      sql`${table.wallets} >= ${table.blacklistedWallets} and ${table.blacklistedWallets} >= 0 and ${table.events} >= ${table.archivedEvents} and ${table.archivedEvents} >= 0`,
    ),
  ],
);

/** The points and events that a wallet's archived events add up to. Its other events continue from there. */
export const openingBalances = pgTable(
  "opening_balances",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    address: address().notNull(),
    points: bigint({ mode: "number" }).notNull(),
    events: bigint({ mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.pointSystemId, table.address] })],
);

/** The files that hold archived events. */
export const ledgerArchives = pgTable("ledger_archives", {
  fileName: text("file_name").primaryKey(),
  /** The file's events are earlier. */
  before: moment("before").notNull(),
  events: bigint({ mode: "number" }).notNull(),
  /** The file's SHA-256. */
  digest: bytes().notNull(),
  writtenAt: moment("written_at").notNull().defaultNow(),
  /** The time from which none of its events is in the ledger any more. */
  removedAt: moment("removed_at"),
});

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
