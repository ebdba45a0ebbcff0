import { and, between, desc, eq, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { type Executor, withDatabase } from "../../db/client";
import { auditLog } from "../../db/schema/audit-log";
import { ALL_SECURITY_EVENTS, type AuditAction } from "../../domain/access/audit";
import { maskWebhookUrl } from "../../domain/webhooks/url";
import { PAGE_ROWS, SCAN_ROWS_MAX } from "../runtime/keyset";
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

/** A page of the audit log, newest first. */
export interface AuditPage<Entry = AuditEntry> {
  readonly entries: Entry[];
  /** The id from which to continue; null where the log ends. */
  readonly olderId: number | null;
  /** Whether the search stopped before the page was full and before the log ended. */
  readonly isCutShort: boolean;
}

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
 * Lists a page of the audit entries of a point system, newest first. Viewers
 * see no addresses, and cannot search for one; nor the paths of webhooks.
 */
export async function listPointSystemAudit(
  member: Member,
  filter: AuditFilter,
): Promise<AuditPage> {
  const scope = isWithin(auditLog.pointSystemId, member.pointSystemId);
  if (seesAddresses(member)) return listEntries(filter, scope);
  const page = await listEntries({ ...filter, actor: null }, scope);
  const entries = page.entries.map((entry) => hideAddresses(maskWebhook(entry), entry.name));
  return { ...page, entries };
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
 * Lists a page of the audit entries outside all point systems, newest first.
 * @param operatorId the operator whose actions are listed; null for those of all operators, which
 *   is for administrators
 */
export function listAccountAudit(
  operatorId: string | null,
  filter: AuditFilter,
): Promise<AuditPage> {
  const isOutside = isNull(auditLog.pointSystemId);
  if (operatorId !== null) {
    return listEntries(filter, isWithin(auditLog.operatorId, operatorId), isOutside);
  }
  // Security events have an index of their own.
  return filter.action === ALL_SECURITY_EVENTS
    ? listEntries(filter, { where: and(isOutside, isAction(filter.action)), orderBy: [] })
    : listEntries(filter, { where: isOutside, orderBy: [desc(auditLog.pointSystemId)] });
}

/** Reads a whole list of audit entries, newest first: a page of the list at a time. */
export async function* readWholeAudit(
  list: (filter: AuditFilter) => Promise<AuditPage>,
  filter: AuditFilter,
): AsyncIterable<AuditEntry> {
  let { beforeId } = filter;
  do {
    const page: AuditPage = await list({ ...filter, beforeId });
    yield* page.entries;
    beforeId = page.olderId;
  } while (beforeId !== null);
}

/** The entries that a search scans, in the order of their index, in which the ids are the last. */
interface Scope {
  readonly where: SQL | undefined;
  readonly orderBy: readonly SQL[];
}

/**
 * Scopes a search by a column. With an equality, the planner may pass over the entries of all others, along the ids:
 * the order would be that of the column's index as well.
 */
function isWithin(column: PgColumn, id: string): Scope {
  return { where: between(column, id, id), orderBy: [desc(column)] };
}

/** Reads a page. Filters have no index, so it scans a bounded number of entries. */
async function listEntries(
  { action, actor, beforeId }: AuditFilter,
  scope: Scope,
  matches?: SQL,
): Promise<AuditPage<AuditEntry & { name: string | null }>> {
  const matchesActor = actor === null ? undefined : isActor(actor, await nameAccount(actor));
  return withDatabase(async (db) => {
    const scanned = db
      .select()
      .from(auditLog)
      .where(and(scope.where, beforeId === null ? undefined : lt(auditLog.id, beforeId)))
      .orderBy(...scope.orderBy, desc(auditLog.id))
      .limit(SCAN_ROWS_MAX)
      .as("audit_log");
    const rows = await db
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
      .from(scanned)
      .where(and(matches, isAction(action), matchesActor))
      .orderBy(...scope.orderBy, desc(auditLog.id))
      .limit(PAGE_ROWS + 1);
    const entries = rows.slice(0, PAGE_ROWS);
    const last = rows.length > PAGE_ROWS ? entries.at(-1) : undefined;
    if (last) return { entries, olderId: last.id, isCutShort: false };
    const [stop] = await db
      .select({ id: auditLog.id })
      .from(scanned)
      .orderBy(...scope.orderBy, desc(auditLog.id))
      .offset(SCAN_ROWS_MAX - 1)
      .limit(1);
    if (!stop) return { entries, olderId: null, isCutShort: false };
    // An entry that was inserted between the two statements moved the stop towards the newest.
    const olderId = Math.min(stop.id, entries.at(-1)?.id ?? stop.id);
    return { entries, olderId, isCutShort: true };
  });
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
