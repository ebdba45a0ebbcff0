import { bigint, date, pgTable, primaryKey, text, timestamp, uuid } from "drizzle-orm/pg-core";

// Counts that the dashboard shows, folded from the ledger in the background. Credits do not need
// them, and all can be rebuilt from point_events.

/**
 * The position up to which a point system's events are counted: later events are not counted yet.
 */
export const statisticsCursors = pgTable("statistics_cursors", {
  pointSystemId: uuid("point_system_id").primaryKey(),
  seq: bigint({ mode: "number" }).notNull().default(0),
});

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
