import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  index,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uuid,
} from "drizzle-orm/pg-core";
import type { Permission } from "../../domain/access/api-key";
import { bytes } from "./columns";
import { operators } from "./operators";
import { pointSystems } from "./point-systems";

export const apiKeys = pgTable(
  "api_keys",
  {
    id: uuid().primaryKey().defaultRandom(),
    operatorId: uuid("operator_id")
      .notNull()
      .references(() => operators.id),
    name: text().notNull(),
    /** SHA-256 of the raw key. Nothing else of the key is stored. */
    tokenHash: bytes("token_hash").notNull().unique(),
    permission: text().$type<Permission>().notNull(),
    /** Whether it reaches sandboxes, and only these. It stays what it was created as. */
    isSandbox: boolean("is_sandbox").notNull().default(false),
    createdAt: timestamp("created_at", { withTimezone: true, precision: 3 }).notNull().defaultNow(),
    /** From then on the key is treated as deleted; null for never. */
    expiresAt: timestamp("expires_at", { withTimezone: true, precision: 3 }),
    /** Written every few seconds, not by the call itself. */
    lastUsedAt: timestamp("last_used_at", { withTimezone: true, precision: 3 }),
  },
  (table) => [
    index("api_keys_operator").on(table.operatorId),
    check("api_keys_token_hash_length", sql`octet_length(${table.tokenHash}) = 32`),
    check(
      "api_keys_permission_known",
      sql`${table.permission} in ('trigger', 'read', 'all', 'manage')`,
    ),
  ],
);

/** A key's scope: the point systems that it can reach. */
export const apiKeyPointSystems = pgTable(
  "api_key_point_systems",
  {
    apiKeyId: uuid("api_key_id")
      .notNull()
      .references(() => apiKeys.id, { onDelete: "cascade" }),
    pointSystemId: uuid("point_system_id")
      .notNull()
      .references(() => pointSystems.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.apiKeyId, table.pointSystemId] }),
    index("api_key_point_systems_point_system").on(table.pointSystemId),
  ],
);
