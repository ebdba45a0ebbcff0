import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uuid,
} from "drizzle-orm/pg-core";
import type { MemberRole } from "../../domain/access/role";
import type { LogoType } from "../../domain/point-systems/brand";
import type { CapWindow } from "../../domain/point-systems/trigger-cap";
import { address, bytes } from "./columns";
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
    /** Whether it is for tests alone. It stays what it was created as. */
    isSandbox: boolean("is_sandbox").notNull().default(false),
    /** The time from which its owner has it cleared; null when that is done. */
    clearingSince: timestamp("clearing_since", { withTimezone: true, precision: 3 }),
    /** The only chain on which signatures of contract wallets count; null when none is chosen. */
    contractWalletChainId: integer("contract_wallet_chain_id"),
    /** From then on it is deleted for all users. Its rows are removed in batches, this row last. */
    deletedAt: timestamp("deleted_at", { withTimezone: true, precision: 3 }),
  },
  (table) => [
    index("point_systems_operator").on(table.operatorId),
    index("point_systems_deleted").on(table.deletedAt).where(sql`${table.deletedAt} is not null`),
    check("point_systems_short_id_shape", sql`${table.shortId} ~ '^[0-9A-Z]{4}$'`),
    check(
      "point_systems_sandbox_without_slug",
      sql`not (${table.isSandbox} and ${table.slug} is not null)`,
    ),
    check(
      "point_systems_sandbox_alone_cleared",
      sql`${table.clearingSince} is null or ${table.isSandbox}`,
    ),
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
    /** Names the cap's counts; null without a cap. A cap with another window or time zone has a new id. */
    capId: uuid("cap_id"),
    capWindow: text("cap_window").$type<CapWindow>(),
    capTimeZone: text("cap_time_zone"),
    /** The most credits and the most points of a wallet in a window; null where there is no limit. */
    capTimes: bigint("cap_times", { mode: "number" }),
    capPoints: bigint("cap_points", { mode: "number" }),
    isActive: boolean("is_active").notNull().default(true),
    /** Whether the public leaderboard names it among the ways to earn, while it is active. */
    isPublic: boolean("is_public").notNull().default(false),
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
    check(
      "triggers_cap_whole",
      sql`num_nulls(${table.capId}, ${table.capWindow}, ${table.capTimeZone}) = 0
          and num_nonnulls(${table.capTimes}, ${table.capPoints}) > 0
        or num_nonnulls(${table.capId}, ${table.capWindow}, ${table.capTimeZone}, ${table.capTimes},
          ${table.capPoints}) = 0`,
    ),
    check(
      "triggers_cap_range",
      sql`${table.capWindow} in ('ever', 'daily', 'weekly', 'monthly')
        and ${table.capTimes} between 1 and 1000000000 and ${table.capPoints} between 1 and 1000000000`,
    ),
  ],
);

/**
 * The credits of a wallet by a capped trigger within a window, as the ledger's events add up. A missing row is made from
 * the events by the next credit.
 */
export const triggerCapCounts = pgTable(
  "trigger_cap_counts",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    capId: uuid("cap_id").notNull(),
    /** Without a window, from `-infinity` to `infinity`. */
    startsAt: timestamp("starts_at", { withTimezone: true, precision: 3 }).notNull(),
    endsAt: timestamp("ends_at", { withTimezone: true, precision: 3 }).notNull(),
    address: bytes().notNull(),
    times: bigint({ mode: "number" }).notNull(),
    points: bigint({ mode: "number" }).notNull(),
    /** The time of the first refusal. */
    refusedAt: timestamp("refused_at", { withTimezone: true, precision: 3 }),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.capId, table.startsAt, table.address] }),
    index("trigger_cap_counts_ended").on(table.endsAt),
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

/** Operators' notes on wallets, for each other. */
export const walletNotes = pgTable(
  "wallet_notes",
  {
    pointSystemId: uuid("point_system_id")
      .notNull()
      .references(() => pointSystems.id, { onDelete: "cascade" }),
    address: address().notNull(),
    id: uuid().notNull().defaultRandom(),
    note: text().notNull(),
    operatorId: uuid("operator_id").notNull(),
    createdAt: timestamp("created_at", { withTimezone: true, precision: 3 }).notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.address, table.id] }),
    check("wallet_notes_address_length", sql`octet_length(${table.address}) = 20`),
    check("wallet_notes_note_length", sql`char_length(${table.note}) between 1 and 500`),
  ],
);
