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
import type { MemberRole } from "../../domain/access/role";
import type { LogoType } from "../../domain/point-systems/brand";
import { bytes } from "./columns";
import { operators } from "./operators";

export const pointSystems = pgTable(
  "point_systems",
  {
    id: uuid().primaryKey().defaultRandom(),
    /** The only owner. */
    operatorId: uuid("operator_id")
      .notNull()
      .references(() => operators.id),
    name: text().notNull(),
    /** Four characters for people; calls use the id. */
    shortId: text("short_id").notNull().unique(),
    /** The public leaderboard's path. */
    slug: text().unique(),
    createdAt: timestamp("created_at", { withTimezone: true, precision: 3 }).notNull().defaultNow(),
    /** From then on it is deleted for all users. Its rows are removed in batches, this row last. */
    deletedAt: timestamp("deleted_at", { withTimezone: true, precision: 3 }),
  },
  (table) => [
    index("point_systems_operator").on(table.operatorId),
    index("point_systems_deleted").on(table.deletedAt).where(sql`${table.deletedAt} is not null`),
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
    /** The points of a call that names none. */
    points: bigint({ mode: "number" }).notNull(),
    /** The least and the most points that a call may name; null when it may name none. */
    pointsMin: bigint("points_min", { mode: "number" }),
    pointsMax: bigint("points_max", { mode: "number" }),
    isActive: boolean("is_active").notNull().default(true),
    createdAt: timestamp("created_at", { withTimezone: true, precision: 3 }).notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.key] }),
    check("triggers_key_shape", sql`${table.key} ~ '^[a-z0-9_]{1,100}$'`),
    check("triggers_points_range", sql`${table.points} between 1 and 1000000000`),
    check(
      "triggers_variable_points_range",
      sql`case when ${table.pointsMin} is null then ${table.pointsMax} is null
        else coalesce(1 <= ${table.pointsMin} and ${table.pointsMin} <= ${table.points}
          and ${table.points} <= ${table.pointsMax} and ${table.pointsMax} <= 1000000000, false) end`,
    ),
  ],
);

/** The operators whom a point system's owner has given access. */
export const pointSystemMembers = pgTable(
  "point_system_members",
  {
    pointSystemId: uuid("point_system_id")
      .notNull()
      .references(() => pointSystems.id, { onDelete: "cascade" }),
    operatorId: uuid("operator_id")
      .notNull()
      .references(() => operators.id, { onDelete: "cascade" }),
    role: text().$type<MemberRole>().notNull(),
    createdAt: timestamp("created_at", { withTimezone: true, precision: 3 }).notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.operatorId] }),
    index("point_system_members_operator").on(table.operatorId),
    check("point_system_members_role_known", sql`${table.role} in ('editor', 'viewer')`),
  ],
);

/** The look of a point system's public pages. Without a row, they look like this service. */
export const pointSystemBrands = pgTable(
  "point_system_brands",
  {
    pointSystemId: uuid("point_system_id")
      .primaryKey()
      .references(() => pointSystems.id, { onDelete: "cascade" }),
    /** Shown instead of the point system's own name. */
    publicName: text("public_name"),
    intro: text(),
    /** `#` and six lowercase hexadecimal digits. */
    accentColor: text("accent_color"),
    logo: bytes(),
    logoType: text("logo_type").$type<LogoType>(),
  },
  (table) => [
    check("point_system_brands_accent_shape", sql`${table.accentColor} ~ '^#[0-9a-f]{6}$'`),
    check("point_system_brands_logo_size", sql`octet_length(${table.logo}) between 1 and 65536`),
    check(
      "point_system_brands_logo_type",
      sql`(${table.logo} is null) = (${table.logoType} is null)
        and ${table.logoType} in ('image/png', 'image/jpeg', 'image/webp')`,
    ),
  ],
);
