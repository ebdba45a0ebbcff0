import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  date,
  index,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import type { BoardKind } from "../../domain/board/board-kind";
import { bytes, moment } from "./columns";
import { pointSystems } from "./point-systems";

// Boards beside the all-time board (docs/decisions/063). The wallets, counts and moves of a window are rows of
// `wallets`, `rank_counts`, `rank_cursors` and `rank_moves` whose `point_system_id` is the window's id.

/** A board that repeats, or a season. */
export const boards = pgTable(
  "boards",
  {
    pointSystemId: uuid("point_system_id")
      .notNull()
      .references(() => pointSystems.id, { onDelete: "cascade" }),
    id: uuid().notNull().defaultRandom(),
    kind: text().$type<BoardKind>().notNull(),
    /** The name of a season in calls; null for a board that repeats. */
    slug: text(),
    name: text().notNull(),
    /** The IANA time zone whose midnights begin and end the windows. */
    timeZone: text("time_zone").notNull(),
    /** Whether the public pages show it. */
    isPublic: boolean("is_public").notNull(),
    /** The time at which an operator ended a board that repeats: no window follows. */
    endedAt: moment("ended_at"),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.id] }),
    // One board of each kind repeats; each season has a slug of its own.
    uniqueIndex("boards_key").on(
      table.pointSystemId,
      sql`coalesce(${table.slug}, ':' || ${table.kind})`,
    ),
    check("boards_kind_known", sql`${table.kind} in ('daily', 'weekly', 'monthly', 'season')`),
    check("boards_slug_of_season", sql`(${table.kind} = 'season') = (${table.slug} is not null)`),
    check("boards_slug_shape", sql`${table.slug} ~ '^[a-z0-9]+(-[a-z0-9]+)*$'`),
  ],
);

/** One window of a board: a day, a week, a month or the season. */
export const boardWindows = pgTable(
  "board_windows",
  {
    id: uuid().primaryKey().defaultRandom(),
    pointSystemId: uuid("point_system_id").notNull(),
    boardId: uuid("board_id").notNull(),
    /** `2026-11-22`, `2026-W47` or `2026-11` in the board's time zone; empty for a season. */
    label: text().notNull(),
    startsAt: moment("starts_at").notNull(),
    /** Events at this time and later do not count. */
    endsAt: moment("ends_at").notNull(),
    /** The element of `point_events.board_points` that is its own while it is open. */
    place: smallint().notNull(),
    /** Whether the events before its creation are counted. Until then, credits leave it alone. */
    isReady: boolean("is_ready").notNull().default(true),
    /** While it is not ready: the ledger position up to which its wallets are counted. */
    filledSeq: bigint("filled_seq", { mode: "bigint" }).notNull().default(sql`0`),
    /** The ledger position after which nothing counts any more; null while it is open. */
    closedSeq: bigint("closed_seq", { mode: "bigint" }),
    /** Whether it is closed and its counts are complete: nothing of it changes any more. */
    isSettled: boolean("is_settled").notNull().default(false),
  },
  (table) => [
    uniqueIndex("board_windows_label").on(table.pointSystemId, table.boardId, table.label),
    uniqueIndex("board_windows_open")
      .on(table.pointSystemId, table.place)
      .where(sql`${table.closedSeq} is null`),
    index("board_windows_unsettled").on(table.pointSystemId).where(sql`not ${table.isSettled}`),
    check("board_windows_range", sql`${table.startsAt} < ${table.endsAt}`),
    check("board_windows_place_range", sql`${table.place} between 1 and 10`),
  ],
);

/** The first wallets of the all-time board, as they were when a day (UTC) began. */
export const boardDays = pgTable(
  "board_days",
  {
    pointSystemId: uuid("point_system_id")
      .notNull()
      .references(() => pointSystems.id, { onDelete: "cascade" }),
    day: date({ mode: "string" }).notNull(),
    /** The addresses one after the other, 20 bytes each, best first. */
    addresses: bytes().notNull(),
  },
  (table) => [primaryKey({ columns: [table.pointSystemId, table.day] })],
);
