import { sql } from "drizzle-orm";
import { bigint, check, integer, pgTable, primaryKey, smallint, uuid } from "drizzle-orm/pg-core";

// How many wallets stand where on a board, so that a rank is a sum of few rows at any depth
// (docs/decisions/026). A wallet's key is points * 64 + 63 - the first six bits of its address: the
// higher, the better. Everything here can be made anew from the wallets.

/** The wallets of the board by their key: `rank_levels` says how far it is shifted in each level. */
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

/** The counts hold what happened up to `seq`. Without a row the counts are not made yet. */
export const rankCursors = pgTable("rank_cursors", {
  pointSystemId: uuid("point_system_id").primaryKey(),
  seq: bigint({ mode: "bigint" }).notNull(),
  /** No wallet was ever counted with a higher key: beyond it there is nothing to add. */
  keyMax: bigint("key_max", { mode: "bigint" }).notNull().default(sql`-1`),
  /**
   * From band 0 on: how many wallets have points of that band (`points_band`) or a higher one. Room
   * for two billion on a board.
   */
  walletsFromBand: integer("wallets_from_band").array().notNull().default(sql`'{}'`),
});

/**
 * What moved wallets on a board other than a credit through the API, until it is counted: grants,
 * imports, corrections, registrations, blacklisting.
 */
export const rankMoves = pgTable(
  "rank_moves",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    /** From the sequence of `point_events.seq`: one order for both. */
    seq: bigint({ mode: "bigint" }).notNull(),
    /** The wallet's key before and after; null where it is not on the board. */
    keyBefore: bigint("key_before", { mode: "bigint" }),
    keyAfter: bigint("key_after", { mode: "bigint" }),
  },
  (table) => [primaryKey({ columns: [table.pointSystemId, table.seq] })],
);
