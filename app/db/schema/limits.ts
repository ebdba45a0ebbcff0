import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import { bytes } from "./columns";

/**
 * The calls of the last minute to the public endpoints, by network. The table is unlogged: a crash
 * of PostgreSQL loses at most a minute of calls, and no call waits for the disk.
 */
export const publicCalls = pgTable(
  "public_calls",
  {
    /** HMAC-SHA256 of the network, with a key of this installation. */
    network: bytes().primaryKey(),
    /** The calls that were admitted. */
    calledAt: timestamp("called_at", { withTimezone: true }).array().notNull(),
    /** The number of calls that the last statement admitted, of those it requested. */
    admitted: integer().notNull(),
    /** The time from which none of the calls counts any more. */
    expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
  },
  (table) => [
    index("public_calls_expiry").on(table.expiresAt),
    check("public_calls_network_length", sql`octet_length(${table.network}) = 32`),
  ],
);

/** Random values that all instances share. */
export const sharedSecrets = pgTable(
  "shared_secrets",
  {
    name: text().primaryKey(),
    secret: bytes().notNull(),
  },
  (table) => [check("shared_secrets_length", sql`octet_length(${table.secret}) = 32`)],
);
