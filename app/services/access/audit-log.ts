import { and, desc, eq, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { type Executor, withDatabase } from "../../db/client";
import { auditLog } from "../../db/schema/audit-log";
import { ALL_SECURITY_EVENTS, type AuditAction } from "../../domain/access/audit";
import { maskWebhookUrl } from "../../domain/webhooks/url";
import { hideAddresses, seesAddresses, selectName } from "./colleagues";
import { type Actor, type Member, nameActor } from "./members";
import { nameAccount } from "./security-events";

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
  readonly action: AuditAction | typeof ALL_SECURITY_EVENTS | null;
  /**
   * The e-mail address of an operator, or the name of an API key after `api key`, in lower case.
   * Security events of that address match, too.
   */
  readonly actor: string | null;
  /** Limits the list to entries older than this one. */
  readonly beforeId: number | null;
}

const AUDIT_PAGE_SIZE = 50;

/**
 * Writes an entry to the audit log within the transaction of the recorded action, so that both are
 * committed or neither is.
 * @param actor null for the command line, `background job` for an action that no operator requested
 *   at that time, `holder` for one that the holder of wallets signed
 */
export async function recordAudit(
  executor: Executor,
  actor: Actor | "background job" | "holder" | null,
  record: AuditRecord,
): Promise<void> {
  const { pointSystemId, action, subject, before, after } = maskWebhook(record);
  const operator = typeof actor === "string" ? null : actor;
  await executor.insert(auditLog).values({
    pointSystemId,
    operatorId: operator?.operatorId ?? null,
    actor: typeof actor === "string" ? actor : actor ? nameActor(actor) : "command line",
    ip: operator?.ip ?? null,
    requestId: operator?.requestId ?? null,
    action,
    subject,
    before: before ?? null,
    after: after ?? null,
  });
}

/**
 * Lists the audit entries of a point system, newest first, and tells whether there are more. Viewers
 * see no addresses, and cannot search for one; nor the paths of webhooks.
 */
export async function listPointSystemAudit(
  member: Member,
  filter: AuditFilter,
): Promise<{ entries: AuditEntry[]; hasMore: boolean }> {
  const scope = eq(auditLog.pointSystemId, member.pointSystemId);
  if (seesAddresses(member)) return listEntries(filter, scope);
  const { entries, hasMore } = await listEntries({ ...filter, actor: null }, scope);
  return {
    entries: entries.map((entry) => hideAddresses(maskWebhook(entry), entry.name)),
    hasMore,
  };
}

/** Masks the URLs of a webhook's entry. Former releases recorded them whole. */
function maskWebhook<
  Entry extends Pick<AuditEntry, "action" | "subject"> & { after?: Fields | null },
>(entry: Entry): Entry {
  if (!entry.action.startsWith("webhook.")) return entry;
  const { after, subject } = entry;
  const url = typeof after?.url === "string" ? { url: maskWebhookUrl(after.url) } : {};
  return { ...entry, subject: maskWebhookUrl(subject), after: after && { ...after, ...url } };
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

/** Reads a whole list of audit entries, newest first: a page of the list at a time. */
export async function* readWholeAudit(
  list: (filter: AuditFilter) => Promise<{ entries: AuditEntry[]; hasMore: boolean }>,
  filter: AuditFilter,
): AsyncIterable<AuditEntry> {
  let { beforeId } = filter;
  for (let hasMore = true; hasMore; ) {
    const page: Awaited<ReturnType<typeof list>> = await list({ ...filter, beforeId });
    yield* page.entries;
    beforeId = page.entries.at(-1)?.id ?? null;
    hasMore = page.hasMore && beforeId !== null;
  }
}

async function listEntries(
  { action, actor, beforeId }: AuditFilter,
  ...scope: (SQL | undefined)[]
): Promise<{ entries: (AuditEntry & { name: string | null })[]; hasMore: boolean }> {
  const rows = await withDatabase(async (db) =>
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
        name: selectName(sql`audit_log.operator_id`),
      })
      .from(auditLog)
      .where(
        and(
          ...scope,
          isAction(action),
          actor === null ? undefined : isActor(actor, await nameAccount(actor)),
          beforeId === null ? undefined : lt(auditLog.id, beforeId),
        ),
      )
      .orderBy(desc(auditLog.id))
      .limit(AUDIT_PAGE_SIZE + 1),
  );
  return { entries: rows.slice(0, AUDIT_PAGE_SIZE), hasMore: rows.length > AUDIT_PAGE_SIZE };
}

function isActor(name: string, account: string): SQL | undefined {
  return or(eq(sql`lower(${auditLog.actor})`, name), eq(auditLog.actor, account));
}

function isAction(action: AuditFilter["action"]): SQL | undefined {
  if (action === null) return undefined;
  // The pattern stands in the statement, where the planner finds the index of security events.
  if (action === ALL_SECURITY_EVENTS) return sql`${auditLog.action} like 'security.%'`;
  return eq(auditLog.action, action);
}
