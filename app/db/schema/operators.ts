import { sql } from "drizzle-orm";
import { boolean, check, index, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";
import type { AccountLinkKind } from "../../domain/access/account-link";
import type { MemberRole } from "../../domain/access/role";
import { bytes, moment } from "./columns";

export const operators = pgTable(
  "operators",
  {
    id: uuid().primaryKey().defaultRandom(),
    email: text().notNull().unique(),
    name: text().notNull(),
    passwordHash: text("password_hash").notNull(),
    /**
     * An administrator invites operators and creates reset links for the whole installation. The
     * first operator is one.
     */
    isAdministrator: boolean("is_administrator").notNull().default(false),
    createdAt: timestamp("created_at", { withTimezone: true, precision: 3 }).notNull().defaultNow(),
    /** The time from which the operator cannot sign in; null for an operator who can. */
    disabledAt: moment("disabled_at"),
  },
  (table) => [check("operators_email_lowercase", sql`${table.email} = lower(${table.email})`)],
);

/** Links that create an account, join a point system, or set a new password. Each works once. */
export const accountLinks = pgTable(
  "account_links",
  {
    id: uuid().primaryKey().defaultRandom(),
    /** SHA-256 of the token in the link. */
    tokenHash: bytes("token_hash").notNull().unique(),
    kind: text().$type<AccountLinkKind>().notNull(),
    /** The operator whose password a reset sets; null for an invitation. */
    operatorId: uuid("operator_id").references(() => operators.id, { onDelete: "cascade" }),
    /**
     * The point system that an invitation opens; null for an invitation to the installation only.
     */
    pointSystemId: uuid("point_system_id"),
    role: text().$type<MemberRole>(),
    /** Null for a link created on the command line. */
    createdBy: uuid("created_by").references(() => operators.id, { onDelete: "cascade" }),
    createdAt: timestamp("created_at", { withTimezone: true, precision: 3 }).notNull().defaultNow(),
    expiresAt: timestamp("expires_at", { withTimezone: true, precision: 3 }).notNull(),
  },
  (table) => [
    index("account_links_point_system").on(table.pointSystemId),
    index("account_links_expiry").on(table.expiresAt),
    check("account_links_token_hash_length", sql`octet_length(${table.tokenHash}) = 32`),
    check("account_links_kind_known", sql`${table.kind} in ('invitation', 'password_reset')`),
    check("account_links_role_known", sql`${table.role} in ('editor', 'viewer')`),
    check(
      "account_links_terms",
      sql`(${table.kind} = 'password_reset') = (${table.operatorId} is not null)
        and (${table.pointSystemId} is null) = (${table.role} is null)`,
    ),
  ],
);
