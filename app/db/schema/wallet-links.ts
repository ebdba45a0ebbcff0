import { sql } from "drizzle-orm";
import {
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uuid,
} from "drizzle-orm/pg-core";
import { address, bytes, moment } from "./columns";

// Wallets of one holder (docs/decisions/086), and what wallets sign (091). Like the tables of the ledger, these have no foreign keys: the writers hold
// the ledger lock.

/** The wallets that are linked now: what is credited to `address` goes to `primary_address`. */
export const walletLinks = pgTable(
  "wallet_links",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    address: address().notNull(),
    primaryAddress: address("primary_address").notNull(),
    linkedAt: moment("linked_at").notNull().defaultNow(),
    /** The operator who linked it; null when the holder signed with both wallets. */
    operatorId: uuid("operator_id"),
    /** The times of the entry that the wallet had, and gets back when it is unlinked; null when it had none. */
    entryCreatedAt: timestamp("entry_created_at", { withTimezone: true, precision: 3 }),
    entryLastCreditAt: timestamp("entry_last_credit_at", { withTimezone: true, precision: 3 }),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.address] }),
    index("wallet_links_primary").on(table.pointSystemId, table.primaryAddress),
    // Lists the links, newest first.
    index("wallet_links_feed").on(table.pointSystemId, table.linkedAt, table.address),
    check("wallet_links_address_length", sql`octet_length(${table.address}) = 20`),
    check("wallet_links_primary_length", sql`octet_length(${table.primaryAddress}) = 20`),
    check("wallet_links_two_wallets", sql`${table.address} <> ${table.primaryAddress}`),
  ],
);

/**
 * The messages that wallets were asked to sign. Each counts once, for one wallet and purpose. The signed text is
 * written again from the row.
 */
export const walletNonces = pgTable(
  "wallet_nonces",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    /** SHA-256 of the nonce. */
    nonceHash: bytes("nonce_hash").notNull(),
    /** The wallet that asked. */
    address: address().notNull(),
    /** The purpose of the signature, with its subject. */
    purpose: text().notNull(),
    chainId: integer("chain_id").notNull(),
    issuedAt: moment("issued_at").notNull(),
    expiresAt: moment("expires_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.nonceHash] }),
    index("wallet_nonces_expiry").on(table.expiresAt),
    check("wallet_nonces_hash_length", sql`octet_length(${table.nonceHash}) = 32`),
    check("wallet_nonces_address_length", sql`octet_length(${table.address}) = 20`),
  ],
);
