import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import { bytes } from "./columns";

/**
 * The calls of the last minute to the public endpoints, by network. Unlogged: what a crash of
 * PostgreSQL forgets is worth a minute, and no call waits for the disk.
 */
export const publicCalls = pgTable(
  "public_calls",
  {
    /** HMAC-SHA256 of the network, with a key of this installation. */
    network: bytes().primaryKey(),
    /** Those that were let through. */
    calledAt: timestamp("called_at", { withTimezone: true }).array().notNull(),
    /** How many the last statement let through, of those that it asked for. */
    admitted: integer().notNull(),
    /** When none of them counts any more. */
    expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
  },
  (table) => [
    index("public_calls_expiry").on(table.expiresAt),
    check("public_calls_network_length", sql`octet_length(${table.network}) = 32`),
  ],
);

/** Random values that all instances share and nobody chooses. */
export const sharedSecrets = pgTable(
  "shared_secrets",
  {
    name: text().primaryKey(),
    secret: bytes().notNull(),
  },
  (table) => [check("shared_secrets_length", sql`octet_length(${table.secret}) = 32`)],
);
