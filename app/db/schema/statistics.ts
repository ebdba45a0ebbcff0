import { sql } from "drizzle-orm";
import {
  bigint,
  check,
  date,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uuid,
} from "drizzle-orm/pg-core";
import { address } from "./columns";

// Counts that the dashboard shows, folded from the ledger in the background. Credits do not need
// them, and all but refused calls can be rebuilt from point_events and spends.

/**
 * The position up to which a point system's events are counted: later events are not counted yet.
 */
export const statisticsCursors = pgTable("statistics_cursors", {
  pointSystemId: uuid("point_system_id").primaryKey(),
  seq: bigint({ mode: "number" }).notNull().default(0),
  /** The same position for the pieces of the activity. */
  activitySeq: bigint("activity_seq", { mode: "number" }).notNull().default(0),
  /** The same position for the figures of the program, and that in `spends`. */
  programSeq: bigint("program_seq", { mode: "number" }).notNull().default(0),
  programSpendSeq: bigint("program_spend_seq", { mode: "number" }).notNull().default(0),
});

/**
 * The pieces of a point system's activity, by which deep pages are found. A piece begins at its mark
 * and ends before the next one.
 */
export const activityMarks = pgTable(
  "activity_marks",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    /** The place of the mark in the order of the activity; that of the first one is before all. */
    createdAt: timestamp("created_at", { withTimezone: true, precision: 3 }).notNull(),
    id: uuid().notNull(),
    /** The events of the piece that are not voided. */
    events: bigint({ mode: "number" }).notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.createdAt, table.id] }),
    check("activity_marks_events_range", sql`${table.events} >= 0`),
  ],
);

/** The daily totals of a point system; days are in UTC. */
export const dailyTotals = pgTable(
  "daily_totals",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    day: date({ mode: "string" }).notNull(),
    points: bigint({ mode: "number" }).notNull().default(0),
    events: bigint({ mode: "number" }).notNull().default(0),
    /** Wallets with at least one event that day. */
    activeWallets: bigint("active_wallets", { mode: "number" }).notNull().default(0),
    /** Points that boosts added, without those of voided events. */
    boostPoints: bigint("boost_points", { mode: "number" }).notNull().default(0),
    /** Points of spends that were not reversed. */
    spentPoints: bigint("spent_points", { mode: "number" }).notNull().default(0),
    /** Calls that a cap refused. They are in no ledger: this is their only long record. */
    cappedCalls: bigint("capped_calls", { mode: "number" }).notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.pointSystemId, table.day] })],
);

/** The wallets with a standing event in a week, by the week's Monday in UTC. */
export const weeklyWallets = pgTable(
  "weekly_wallets",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    week: date({ mode: "string" }).notNull(),
    wallets: bigint({ mode: "number" }).notNull().default(0),
    /** Those of them that have no standing event before the week. */
    newWallets: bigint("new_wallets", { mode: "number" }).notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.pointSystemId, table.week] })],
);

/** The first and the last week in which a wallet has a standing event, as Mondays in UTC. */
export const walletWeeks = pgTable(
  "wallet_weeks",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    address: address().notNull(),
    firstWeek: date("first_week", { mode: "string" }).notNull(),
    lastWeek: date("last_week", { mode: "string" }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.address] }),
    check("wallet_weeks_order", sql`${table.firstWeek} <= ${table.lastWeek}`),
  ],
);

/** The points of all wallets of a season. The `point_system_id` is the id of the season's window. */
export const seasonTotals = pgTable("season_totals", {
  pointSystemId: uuid("point_system_id").primaryKey(),
  points: bigint({ mode: "number" }).notNull(),
  /** The points were added up at this position of the ledger; later events are folded in. */
  afterSeq: bigint("after_seq", { mode: "number" }).notNull(),
});

/** The daily credits of each trigger key. The key's trigger may have been deleted. */
export const dailyTriggerTotals = pgTable(
  "daily_trigger_totals",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    triggerKey: text("trigger_key").notNull(),
    day: date({ mode: "string" }).notNull(),
    points: bigint({ mode: "number" }).notNull().default(0),
    events: bigint({ mode: "number" }).notNull().default(0),
    lastFiredAt: timestamp("last_fired_at", { withTimezone: true, precision: 3 }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.pointSystemId, table.triggerKey, table.day] })],
);

/** Refused calls that named a point system, by hour and reason. */
export const refusedCalls = pgTable(
  "refused_calls",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    hour: timestamp({ withTimezone: true, precision: 3 }).notNull(),
    /** The failure's code. */
    code: text().notNull(),
    calls: bigint({ mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.pointSystemId, table.hour, table.code] })],
);
