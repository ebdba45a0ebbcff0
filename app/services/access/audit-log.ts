import { and, desc, eq, isNull, lt, type SQL } from "drizzle-orm";
import { type Executor, withDatabase } from "../../db/client";
import { auditLog } from "../../db/schema/audit-log";
import type { AuditAction } from "../../domain/access/audit";
import type { Actor, Member } from "./members";

type Fields = Readonly<Record<string, unknown>>;

export interface AuditRecord {
  /** Null for an action on an account or on the installation. */
  readonly pointSystemId: string | null;
  readonly action: AuditAction;
  /** The subject of the action, in words. */
  readonly subject: string;
  /** The fields that changed, before and after. They never hold a secret. */
  readonly before?: Fields;
  readonly after?: Fields;
}

/** An entry of the audit log as the dashboard shows it. */
export interface AuditEntry {
  readonly id: number;
  readonly createdAt: Date;
  readonly actor: string;
  readonly ip: string | null;
  readonly action: string;
  readonly subject: string;
  readonly before: Fields | null;
  readonly after: Fields | null;
}

export interface AuditFilter {
  readonly action: AuditAction | null;
  /** The e-mail address of an operator, in lower case. */
  readonly actor: string | null;
  /** Limits the list to entries older than this one. */
  readonly beforeId: number | null;
}

const AUDIT_PAGE_SIZE = 50;

/**
 * Writes an entry to the audit log within the transaction of the recorded action, so that both are
 * committed or neither is.
 * @param actor null for the command line, `background job` for an action that no operator requested
 *   at that time
 */
export async function recordAudit(
  executor: Executor,
  actor: Actor | "background job" | null,
  { pointSystemId, action, subject, before, after }: AuditRecord,
): Promise<void> {
  const operator = typeof actor === "string" ? null : actor;
  await executor.insert(auditLog).values({
    pointSystemId,
    operatorId: operator?.operatorId ?? null,
    actor: typeof actor === "string" ? actor : (operator?.email ?? "command line"),
    ip: operator?.ip ?? null,
    requestId: operator?.requestId ?? null,
    action,
    subject,
    before: before ?? null,
    after: after ?? null,
  });
}

/** Lists the audit entries of a point system, newest first, and tells whether there are more. */
export function listPointSystemAudit(member: Member, filter: AuditFilter) {
  return listEntries(filter, eq(auditLog.pointSystemId, member.pointSystemId));
}

/**
 * Lists the audit entries outside all point systems, newest first.
 * @param operatorId the operator whose actions are listed; null for those of all operators, which
 *   is for administrators
 */
export function listAccountAudit(operatorId: string | null, filter: AuditFilter) {
  return listEntries(
    filter,
    isNull(auditLog.pointSystemId),
    operatorId === null ? undefined : eq(auditLog.operatorId, operatorId),
  );
}

async function listEntries(
  { action, actor, beforeId }: AuditFilter,
  ...scope: (SQL | undefined)[]
): Promise<{ entries: AuditEntry[]; hasMore: boolean }> {
  const rows = await withDatabase((db) =>
    db
      .select({
        id: auditLog.id,
        createdAt: auditLog.createdAt,
        actor: auditLog.actor,
        ip: auditLog.ip,
        action: auditLog.action,
        subject: auditLog.subject,
        before: auditLog.before,
        after: auditLog.after,
      })
      .from(auditLog)
      .where(
        and(
          ...scope,
          action === null ? undefined : eq(auditLog.action, action),
          actor === null ? undefined : eq(auditLog.actor, actor),
          beforeId === null ? undefined : lt(auditLog.id, beforeId),
        ),
      )
      .orderBy(desc(auditLog.id))
      .limit(AUDIT_PAGE_SIZE + 1),
  );
  return { entries: rows.slice(0, AUDIT_PAGE_SIZE), hasMore: rows.length > AUDIT_PAGE_SIZE };
}
