import { bigint, date, pgTable, primaryKey, text, timestamp, uuid } from "drizzle-orm/pg-core";

// Counts that the dashboard shows, folded from the ledger in the background. Nothing here is
// needed for a credit; everything can be made anew from point_events.

/** How far a point system's events are counted: those up to `seq` are, later ones are not yet. */
export const statisticsCursors = pgTable("statistics_cursors", {
  pointSystemId: uuid("point_system_id").primaryKey(),
  seq: bigint({ mode: "number" }).notNull().default(0),
});

/** A point system's days, in UTC. */
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

/** What each trigger key has credited, on each day; the key may be of a deleted trigger. */
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

/** Calls that named a point system and were refused, by hour and reason. */
export const refusedCalls = pgTable(
  "refused_calls",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    hour: timestamp({ withTimezone: true, precision: 3 }).notNull(),
    /** A failure's code. */
    code: text().notNull(),
    calls: bigint({ mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.pointSystemId, table.hour, table.code] })],
);
