import { sql } from "drizzle-orm";
import { bigint, check, index, jsonb, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";

/**
 * Records each action with its actor, time and IP address. The table is append-only. It has no
 * foreign keys, since an entry outlives its subject.
 */
export const auditLog = pgTable(
  "audit_log",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    createdAt: timestamp("created_at", { withTimezone: true, precision: 3 }).notNull().defaultNow(),
    /** Null for actions on an account or the installation. */
    pointSystemId: uuid("point_system_id"),
    /** Null for the command line. */
    operatorId: uuid("operator_id"),
    /** The operator's e-mail address at the time, `API key NAME`, or `command line`. */
    actor: text().notNull(),
    ip: text(),
    requestId: text("request_id"),
    action: text().notNull(),
    /** The subject of the action, in words: a trigger's key, an address, a name. */
    subject: text().notNull(),
    /** The fields that changed, before and after; never a secret. */
    before: jsonb().$type<Readonly<Record<string, unknown>>>(),
    after: jsonb().$type<Readonly<Record<string, unknown>>>(),
  },
  (table) => [
    // Lists a point system's log, newest first.
    index("audit_log_point_system").on(table.pointSystemId, table.id),
    // Lists an operator's own actions outside any point system.
    index("audit_log_operator").on(table.operatorId, table.id),
    // Lists the security events of the installation.
    index("audit_log_security").on(table.id).where(sql`${table.action} like 'security.%'`),
    // Finds a point system's last transfer, and what is known of its campaigns' transactions.
    index("audit_log_looked_up")
      .on(table.pointSystemId, table.action, table.id)
      .where(sql`${table.action} in ('member.transfer', 'campaign.chain')`),
    check("audit_log_action_shape", sql`${table.action} ~ '^[a-z_]+\\.[a-z_]+$'`),
  ],
);
