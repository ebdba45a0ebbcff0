import { sql } from "drizzle-orm";
import {
  bigint,
  check,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import type { BonusState, StreakBonus } from "../../domain/progress/streak";
import { address, moment } from "./columns";
import { pointSystems } from "./point-systems";

// The progress of wallets: tiers by points, and days in a row (docs/decisions/087). Credits write none of it.

/** The tiers of a point system. A wallet's tier is the highest whose least points it has. */
export const tiers = pgTable(
  "tiers",
  {
    pointSystemId: uuid("point_system_id")
      .notNull()
      .references(() => pointSystems.id, { onDelete: "cascade" }),
    pointsMin: bigint("points_min", { mode: "number" }).notNull(),
    name: text().notNull(),
    /** `#` and six lowercase hexadecimal digits. */
    color: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.pointsMin] }),
    uniqueIndex("tiers_name").on(table.pointSystemId, table.name),
    check("tiers_points_range", sql`${table.pointsMin} between 0 and 9007199254740991`),
    check("tiers_name_length", sql`char_length(${table.name}) between 1 and 40`),
    check("tiers_color_shape", sql`${table.color} ~ '^#[0-9a-f]{6}$'`),
  ],
);

/** The position up to which a point system's changes of tiers are said. Without tiers there is no row. */
export const tierCursors = pgTable("tier_cursors", {
  pointSystemId: uuid("point_system_id")
    .primaryKey()
    .references(() => pointSystems.id, { onDelete: "cascade" }),
  seq: bigint({ mode: "number" }).notNull(),
});

/** The streaks of a point system, each with the position up to which its days are counted. */
export const streaks = pgTable(
  "streaks",
  {
    pointSystemId: uuid("point_system_id")
      .notNull()
      .references(() => pointSystems.id, { onDelete: "cascade" }),
    id: uuid().notNull().defaultRandom(),
    key: text().notNull(),
    name: text().notNull(),
    /** The triggers whose credits count; null for all. */
    triggerKeys: text("trigger_keys").array(),
    /** The IANA time zone whose midnights begin the days. */
    timeZone: text("time_zone").notNull(),
    /** The bonuses by length, the shortest first. */
    bonuses: jsonb().$type<readonly StreakBonus[]>().notNull(),
    /** The ledger's events up to this position are in `streak_days`. */
    countedSeq: bigint("counted_seq", { mode: "number" }).notNull().default(0),
    /** Only credits after this position reach bonuses: those that were there before it count as days alone. */
    paysAfterSeq: bigint("pays_after_seq", { mode: "number" }).notNull(),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.id] }),
    uniqueIndex("streaks_key").on(table.pointSystemId, table.key),
    check("streaks_key_shape", sql`${table.key} ~ '^[a-z0-9_]{1,100}$'`),
    check("streaks_triggers_chosen", sql`cardinality(${table.triggerKeys}) > 0`),
  ],
);

/** The days on which a wallet has credits that count for a streak and are not voided, with their number. */
export const streakDays = pgTable(
  "streak_days",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    streakId: uuid("streak_id").notNull(),
    address: address().notNull(),
    /** In the streak's time zone. */
    day: date({ mode: "string" }).notNull(),
    events: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.streakId, table.address, table.day] }),
    check("streak_days_events_range", sql`${table.events} > 0`),
  ],
);

/** The bonuses that wallets reached. They outlive their streak, since their credits count for no streak. */
export const streakBonuses = pgTable(
  "streak_bonuses",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    streakId: uuid("streak_id").notNull(),
    address: address().notNull(),
    /** The length that was reached, and the day of the credit that reached it. */
    days: integer().notNull(),
    reachedOn: date("reached_on", { mode: "string" }).notNull(),
    /** The position of that credit. */
    seq: bigint({ mode: "number" }).notNull(),
    triggerKey: text("trigger_key").notNull(),
    state: text().$type<BonusState>().notNull().default("due"),
    /** The event that pays it; null until it is paid. */
    eventId: uuid("event_id"),
  },
  (table) => [
    primaryKey({
      name: "streak_bonuses_pk",
      columns: [table.pointSystemId, table.streakId, table.address, table.days, table.reachedOn],
    }),
    index("streak_bonuses_due")
      .on(table.pointSystemId, table.seq)
      .where(sql`${table.state} = 'due'`),
    uniqueIndex("streak_bonuses_event").on(table.pointSystemId, table.eventId),
    check(
      "streak_bonuses_state_known",
      sql`${table.state} in ('due', 'paid', 'blacklisted', 'limit_reached', 'trigger_gone')`,
    ),
    check(
      "streak_bonuses_paid_whole",
      sql`(${table.state} = 'paid') = (${table.eventId} is not null)`,
    ),
  ],
);
