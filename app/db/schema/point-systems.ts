import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uuid,
} from "drizzle-orm/pg-core";
import { operators } from "./operators";

export const pointSystems = pgTable(
  "point_systems",
  {
    id: uuid().primaryKey().defaultRandom(),
    operatorId: uuid("operator_id")
      .notNull()
      .references(() => operators.id),
    name: text().notNull(),
    /** Four characters for people; calls use the id. */
    shortId: text("short_id").notNull().unique(),
    /** The public leaderboard's path. */
    slug: text().unique(),
    createdAt: timestamp("created_at", { withTimezone: true, precision: 3 }).notNull().defaultNow(),
  },
  (table) => [
    index("point_systems_operator").on(table.operatorId),
    check("point_systems_short_id_shape", sql`${table.shortId} ~ '^[0-9A-Z]{4}$'`),
    check("point_systems_slug_shape", sql`${table.slug} ~ '^[a-z0-9]+(-[a-z0-9]+)*$'`),
  ],
);

export const triggers = pgTable(
  "triggers",
  {
    pointSystemId: uuid("point_system_id")
      .notNull()
      .references(() => pointSystems.id, { onDelete: "cascade" }),
    key: text().notNull(),
    name: text().notNull(),
    points: bigint({ mode: "number" }).notNull(),
    isActive: boolean("is_active").notNull().default(true),
    createdAt: timestamp("created_at", { withTimezone: true, precision: 3 }).notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.key] }),
    check("triggers_key_shape", sql`${table.key} ~ '^[a-z0-9_]{1,100}$'`),
    check("triggers_points_range", sql`${table.points} between 1 and 1000000000`),
  ],
);
