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

// Counts that the dashboard shows, folded from the ledger in the background. Credits do not need
// them, and all can be rebuilt from point_events.

/**
 * The position up to which a point system's events are counted: later events are not counted yet.
 */
export const statisticsCursors = pgTable("statistics_cursors", {
  pointSystemId: uuid("point_system_id").primaryKey(),
  seq: bigint({ mode: "number" }).notNull().default(0),
  /** The same position for the pieces of the activity. */
  activitySeq: bigint("activity_seq", { mode: "number" }).notNull().default(0),
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
  },
  (table) => [primaryKey({ columns: [table.pointSystemId, table.day] })],
);

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
