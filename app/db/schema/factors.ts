import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  pgTable,
  primaryKey,
  text,
  uuid,
} from "drizzle-orm/pg-core";
import type { AccountNoticeKind } from "../../domain/accounts/notice";
import { bytes, moment } from "./columns";
import { operators } from "./operators";

/** The operator of a row, which goes with its operator. */
const operatorId = () =>
  uuid("operator_id")
    .notNull()
    .references(() => operators.id, { onDelete: "cascade" });

/** The passkeys of operators: public keys only. */
export const passkeys = pgTable(
  "passkeys",
  {
    id: uuid().primaryKey().defaultRandom(),
    operatorId: operatorId(),
    /** The id that the authenticator gave it, and by which it is found at sign-in. */
    credentialId: bytes("credential_id").notNull().unique(),
    /** The public key in COSE form. */
    publicKey: bytes("public_key").notNull(),
    /** The authenticator's count of signatures; 0 for those that do not count. */
    signCount: bigint("sign_count", { mode: "number" }).notNull(),
    /** The ways to reach the authenticator, as hints for browsers. */
    transports: text().array().notNull(),
    name: text().notNull(),
    createdAt: moment("created_at").notNull().defaultNow(),
    lastUsedAt: moment("last_used_at"),
  },
  (table) => [index("passkeys_operator").on(table.operatorId)],
);

/** The authenticator app of an operator (TOTP). */
export const authenticators = pgTable(
  "authenticators",
  {
    operatorId: operatorId().primaryKey(),
    /** The secret as versions before 0.2 stored it, until the service encrypts it; null from then on. */
    secret: bytes(),
    /** The secret encrypted with a key of `GIFT_CARD_KEYS`, for this operator alone. */
    secretCiphertext: bytes("secret_ciphertext"),
    secretNonce: bytes("secret_nonce"),
    secretKeyId: text("secret_key_id"),
    /** Null until the first code was entered; it is no second factor before. */
    confirmedAt: moment("confirmed_at"),
    /** The number of the last time step whose code was used: a code is used once. */
    lastStep: bigint("last_step", { mode: "number" }).notNull().default(0),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [
    check("authenticators_secret_length", sql`octet_length(${table.secret}) = 20`),
    check("authenticators_nonce_length", sql`octet_length(${table.secretNonce}) = 12`),
    check(
      "authenticators_one_secret",
      sql`num_nonnulls(${table.secretCiphertext}, ${table.secretNonce}, ${table.secretKeyId}) =
        case when ${table.secret} is null then 3 else 0 end`,
    ),
  ],
);

/** The recovery codes that are left. A used one is deleted. */
export const recoveryCodes = pgTable(
  "recovery_codes",
  {
    operatorId: operatorId(),
    /** SHA-256 of the code, which has 120 random bits, and 80 in earlier versions. */
    codeHash: bytes("code_hash").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.operatorId, table.codeHash] }),
    check("recovery_codes_hash_length", sql`octet_length(${table.codeHash}) = 32`),
  ],
);

/** Challenges of passkeys that were answered, until they expire: each is answered once. */
export const spentChallenges = pgTable(
  "spent_challenges",
  {
    /** SHA-256 of the challenge. */
    hash: bytes().primaryKey(),
    expiresAt: moment("expires_at").notNull(),
  },
  (table) => [
    index("spent_challenges_expiry").on(table.expiresAt),
    check("spent_challenges_hash_length", sql`octet_length(${table.hash}) = 32`),
  ],
);

/** Browsers in which an operator signed in before, known by a cookie of their own. */
export const devices = pgTable(
  "devices",
  {
    operatorId: operatorId(),
    /** SHA-256 of the cookie's id. */
    idHash: bytes("id_hash").notNull(),
    createdAt: moment("created_at").notNull().defaultNow(),
    lastSeenAt: moment("last_seen_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.operatorId, table.idHash] }),
    index("devices_last_seen").on(table.lastSeenAt),
    check("devices_hash_length", sql`octet_length(${table.idHash}) = 32`),
  ],
);

/** Notices to an operator about their account, until they are read. */
export const accountNotices = pgTable(
  "account_notices",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    operatorId: operatorId(),
    kind: text().$type<AccountNoticeKind>().notNull(),
    /** The browser, the credential or the person that the notice is about. */
    detail: text().notNull(),
    ip: text().notNull().default(""),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [index("account_notices_operator").on(table.operatorId, table.id)],
);

/** The settings that administrators change in the dashboard: at most one row. */
export const installation = pgTable(
  "installation",
  {
    isOnly: boolean("is_only").primaryKey().default(true),
    /** Whether every operator needs a passkey, or an authenticator app beside the password. */
    isFactorRequired: boolean("is_factor_required").notNull().default(false),
  },
  (table) => [check("installation_one_row", sql`${table.isOnly}`)],
);
