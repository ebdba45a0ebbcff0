import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  foreignKey,
  index,
  numeric,
  pgTable,
  primaryKey,
  text,
  uuid,
} from "drizzle-orm/pg-core";
import { address, moment } from "./columns";
import { pointSystems } from "./point-systems";

/** A time in which credits through the API are worth more (docs/decisions/077). */
export const boosts = pgTable(
  "boosts",
  {
    pointSystemId: uuid("point_system_id")
      .notNull()
      .references(() => pointSystems.id, { onDelete: "cascade" }),
    id: uuid().notNull().defaultRandom(),
    name: text().notNull(),
    factor: numeric({ precision: 5, scale: 2, mode: "number" }).notNull(),
    startsAt: moment("starts_at").notNull(),
    /** Credits at this time and later are not boosted. */
    endsAt: moment("ends_at").notNull(),
    /** The IANA time zone in which the form shows its times. */
    timeZone: text("time_zone").notNull().default("UTC"),
    /** The triggers whose credits it boosts; null for all. */
    triggerKeys: text("trigger_keys").array(),
    /** Whether it boosts only the wallets that are listed in `boost_wallets`. */
    isForListed: boolean("is_for_listed").notNull().default(false),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.id] }),
    // Those that are under way or to come, without the past ones.
    index("boosts_ends").on(table.pointSystemId, table.endsAt),
    check("boosts_factor_range", sql`${table.factor} between 1.01 and 100`),
    check("boosts_range", sql`${table.startsAt} < ${table.endsAt}`),
    check("boosts_triggers_some", sql`cardinality(${table.triggerKeys}) > 0`),
  ],
);

/** The wallets of a boost that is not for every wallet. */
export const boostWallets = pgTable(
  "boost_wallets",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    boostId: uuid("boost_id").notNull(),
    address: address().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.boostId, table.address] }),
    foreignKey({
      columns: [table.pointSystemId, table.boostId],
      foreignColumns: [boosts.pointSystemId, boosts.id],
    }).onDelete("cascade"),
    check("boost_wallets_address_length", sql`octet_length(${table.address}) = 20`),
  ],
);
