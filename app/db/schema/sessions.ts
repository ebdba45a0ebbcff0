import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { bytes, moment } from "./columns";
import { operators } from "./operators";

/** Signed-in browsers. */
export const sessions = pgTable(
  "sessions",
  {
    /** SHA-256 of the id in the cookie, in hex: a stored id does not work as a cookie. */
    id: text().primaryKey(),
    operatorId: uuid("operator_id")
      .notNull()
      .references(() => operators.id, { onDelete: "cascade" }),
    /** Moves later with use, at most to `absoluteExpiresAt`. */
    expiresAt: moment("expires_at").notNull(),
    absoluteExpiresAt: moment("absolute_expires_at").notNull(),
    createdAt: moment("created_at").notNull().defaultNow(),
    /** The IP address of the sign-in, which helps the operator to recognise the browser. */
    ip: text().notNull().default(""),
    userAgent: text("user_agent").notNull().default(""),
    /** The last time at which the operator gave the password in this browser. */
    confirmedAt: moment("confirmed_at").notNull().defaultNow(),
  },
  (table) => [
    index("sessions_operator").on(table.operatorId),
    // For the clean-up at each sign-in.
    index("sessions_expiry").on(table.expiresAt),
    check("sessions_id_is_hash", sql`${table.id} ~ '^[0-9a-f]{64}$'`),
    check("sessions_expiry_bounded", sql`${table.expiresAt} <= ${table.absoluteExpiresAt}`),
  ],
);

/** Recent attempts to sign in, by account and by network: an exact sliding window. */
export const signInAttempts = pgTable(
  "sign_in_attempts",
  {
    /** SHA-256 of the counted subject: people also type passwords into the e-mail field. */
    subject: bytes().primaryKey(),
    attemptedAt: timestamp("attempted_at", { withTimezone: true }).array().notNull(),
    /** How many the last statement let through, of those that it asked for. */
    admitted: integer().notNull().default(0),
    /** The time from which none of the attempts counts any more. */
    expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
  },
  (table) => [
    index("sign_in_attempts_expiry").on(table.expiresAt),
    check("sign_in_attempts_subject_length", sql`octet_length(${table.subject}) = 32`),
  ],
);

/** Links that open the set-up page: one for each start, while there is no operator. */
export const setUpTokens = pgTable(
  "set_up_tokens",
  {
    /** SHA-256 of the token in the link. */
    tokenHash: bytes("token_hash").primaryKey(),
    expiresAt: moment("expires_at").notNull(),
  },
  (table) => [check("set_up_tokens_hash_length", sql`octet_length(${table.tokenHash}) = 32`)],
);
