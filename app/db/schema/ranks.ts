import { sql } from "drizzle-orm";
import { bigint, check, integer, pgTable, primaryKey, smallint, uuid } from "drizzle-orm/pg-core";

// Counts of wallets by position on a board, so that a rank is a sum of a few rows at any depth
// (docs/decisions/026). A wallet's key is points * 64 + 63 - the first six bits of its address. A
// higher key is a better position. All counts can be rebuilt from the wallets. A `point_system_id` is a point system's for its
// all-time board, or the id of another board's window (docs/decisions/063).

/**
 * The wallets of the board by key. `rank_levels` defines how far the key is shifted at each level.
 */
export const rankCounts = pgTable(
  "rank_counts",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    bucket: bigint({ mode: "bigint" }).notNull(),
    wallets: bigint({ mode: "bigint" }).notNull(),
    level: smallint().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.level, table.bucket] }),
    check("rank_counts_wallets_positive", sql`${table.wallets} > 0`),
    check("rank_counts_level_range", sql`${table.level} between 0 and 15`),
  ],
);

/**
 * The ledger position up to which the counts are complete. Without a row, the counts do not exist
 * yet.
 */
export const rankCursors = pgTable("rank_cursors", {
  pointSystemId: uuid("point_system_id").primaryKey(),
  seq: bigint({ mode: "bigint" }).notNull(),
  /** The highest key ever counted: beyond it there is nothing to add. */
  keyMax: bigint("key_max", { mode: "bigint" }).notNull().default(sql`-1`),
  /**
   * Element n is the number of wallets whose points are in band n (`points_band`) or a higher one.
   * There is room for two billion wallets on a board.
   */
  walletsFromBand: integer("wallets_from_band").array().notNull().default(sql`'{}'`),
});

/**
 * Changes that moved wallets on a board, other than credits through the API, until they are
 * counted: grants, imports, corrections, registrations, blacklisting.
 */
export const rankMoves = pgTable(
  "rank_moves",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    /** From the sequence of `point_events.seq`: both share one order. */
    seq: bigint({ mode: "bigint" }).notNull().default(sql`nextval('point_events_seq_seq')`),
    /** The wallet's key before and after; null where it is not on the board. */
    keyBefore: bigint("key_before", { mode: "bigint" }),
    keyAfter: bigint("key_after", { mode: "bigint" }),
  },
  (table) => [primaryKey({ columns: [table.pointSystemId, table.seq] })],
);
