import { randomUUID } from "node:crypto";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { withDatabase } from "../../db/client";
import type { Database } from "../../db/pool";
import { apiKeys } from "../../db/schema/api-keys";
import { requestLog } from "../../db/schema/request-log";
import type { Cursor } from "../../domain/cursor";
import type { LoggedCall, RequestFilter } from "../../domain/insights/logged-call";
import { processState } from "../../process/state";
import type { Member } from "../access/members";
import { readScannedPage, SCAN_ROWS_MAX, type ScannedPage, type Slice } from "../runtime/keyset";
import { removeOlder } from "../runtime/remove-old-rows";

/** A call of the API as it was answered. */
export interface AnsweredCall {
  readonly requestId: string;
  /** The endpoint's path after the prefix. */
  readonly endpoint: string;
  readonly status: number;
  /** The failure's code; null for an answer that is none. */
  readonly code: string | null;
  /** The point system that the call named, even if no such one exists; null when it named none. */
  readonly pointSystemId: string | null;
  /** The hash of the key that the call had; null without a well-formed one. */
  readonly tokenHash: Buffer | null;
  readonly tookMs: number;
}

interface WaitingCall extends AnsweredCall {
  readonly id: string;
  readonly answeredMs: number;
}

/** The calls of a point system between two flushes that are kept, by kind. */
const KEPT_MAX = {
  /** A sample of those that succeed. */
  succeeded: 5,
  /** Those that are refused. A loop that is always refused fills no disk. */
  refused: 250,
  /** Those that are refused without a valid key. Strangers displace no one else's. */
  anonymous: 25,
} as const;
const ANONYMOUS_CODES = new Set(["missing_api_key", "invalid_api_key_format", "invalid_api_key"]);
/** The most calls that wait to be written, and the most point systems that are told apart. */
const WAITING_MAX = 5_000;
/** The most of them that are of callers without a valid key. */
const ANONYMOUS_MAX = 1_000;
const KEPT_DAYS = 7;

interface State {
  isOn: boolean;
  waiting: WaitingCall[];
  /** The calls since the last flush, by kind, and by point system or else key. */
  counts: Record<Kind, Map<string, number>>;
  anonymous: number;
}

type Kind = keyof typeof KEPT_MAX;

const state = processState<State>("request log", () => ({
  isOn: true,
  waiting: [],
  ...countNothing(),
}));

function countNothing(): Pick<State, "counts" | "anonymous"> {
  const counts = { succeeded: new Map(), refused: new Map(), anonymous: new Map() };
  return { counts, anonymous: 0 };
}

/** Switches the log on or off for this process. */
export function setRequestLog(isOn: boolean): void {
  state.isOn = isOn;
}

const nameOwner = (pointSystemId: string | null, tokenHash: Buffer | null) =>
  pointSystemId ?? tokenHash?.toString("latin1") ?? "";

/** Checks whether the sample takes a call that succeeds. It costs a look-up. */
export function isSampleOpen(pointSystemId: string | null, tokenHash: Buffer | null): boolean {
  const count = state.counts.succeeded.get(nameOwner(pointSystemId, tokenHash)) ?? 0;
  return state.isOn && count < KEPT_MAX.succeeded;
}

/**
 * Keeps a call in memory until the next flush, if it is refused or in the sample. It never waits, and
 * never throws.
 */
export function noteCall(call: AnsweredCall): void {
  const { code, tokenHash, pointSystemId } = call;
  // Neither a point system nor a key: the call is no one's.
  if (!state.isOn || (pointSystemId === null && tokenHash === null)) return;
  const isAnonymous = code !== null && (tokenHash === null || ANONYMOUS_CODES.has(code));
  const kind = isAnonymous ? "anonymous" : code === null ? "succeeded" : "refused";
  const owner = nameOwner(pointSystemId, tokenHash);
  const count = state.counts[kind].get(owner) ?? 0;
  if (count >= KEPT_MAX[kind] || state.waiting.length >= WAITING_MAX) return;
  if (isAnonymous && state.anonymous >= ANONYMOUS_MAX) return;
  if (isAnonymous) state.anonymous += 1;
  state.counts[kind].set(owner, count + 1);
  state.waiting.push({ ...call, id: randomUUID(), answeredMs: Date.now() });
}

/**
 * Writes the calls that wait. A failed write is tried again with the next ones.
 * @returns false, since there is nothing more to do right away
 */
export async function flushRequestLog(): Promise<boolean> {
  const calls = state.waiting;
  Object.assign(state, { waiting: [], ...countNothing() });
  try {
    if (calls.length > 0) await writeCalls(calls);
  } catch (error) {
    state.waiting = [...calls, ...state.waiting].slice(0, WAITING_MAX);
    throw error;
  }
  return false;
}

/**
 * Writes calls to the log of the point system that each names. A call that names none belongs to the
 * one point system of its key. A key is written only where it may use the point system: members
 * learn nothing of the keys of others.
 */
async function writeCalls(calls: readonly WaitingCall[]): Promise<void> {
  const column = (of: (call: WaitingCall) => string | Buffer | null) =>
    toArrayLiteral(calls.map(of));
  await withDatabase((db) =>
    db.execute(sql`
      insert into ${requestLog}
        (point_system_id, id, request_id, answered_at, endpoint, status, code, api_key_id, took_ms)
      select p.id, q.id, q.request_id, q.answered_at, q.endpoint, q.status, q.code,
        case when p.id = any(k.systems) then k.id end, q.took_ms
      from unnest(
        ${column((call) => call.pointSystemId)}::uuid[],
        ${column((call) => call.id)}::uuid[],
        ${column((call) => call.requestId)}::text[],
        ${column((call) => new Date(call.answeredMs).toISOString())}::timestamptz[],
        ${column((call) => call.endpoint)}::text[],
        ${column((call) => String(call.status))}::smallint[],
        ${column((call) => call.code)}::text[],
        ${column((call) => call.tokenHash)}::bytea[],
        ${column((call) => String(Math.round(call.tookMs)))}::int[]
      ) as q(named_id, id, request_id, answered_at, endpoint, status, code, token_hash, took_ms)
      left join lateral (
        select a.id, array(
          select s.point_system_id from api_key_point_systems s where s.api_key_id = a.id
        ) as systems
        from api_keys a where a.token_hash = q.token_hash limit 1
      ) k on true
      cross join lateral (
        -- The lock excludes a deletion: calls written after it would never be removed.
        select s.id from point_systems s
        where s.id = coalesce(q.named_id, case when cardinality(k.systems) = 1 then k.systems[1] end)
          and s.deleted_at is null
        limit 1 for share
      ) p
      on conflict do nothing`),
  );
}

/**
 * Removes calls that are older than a week.
 * @returns whether there are more
 */
export const removeOldRequests = (): Promise<boolean> =>
  removeOlder(requestLog, "answered_at", KEPT_DAYS);

/** Lists a page of a point system's calls, newest first. Request ids have an index; other filters scan. */
export function listRequests(
  { pointSystemId }: Member,
  filter: RequestFilter,
  cursor: Cursor | null,
): Promise<ScannedPage<LoggedCall>> {
  const matches: (SQL | undefined)[] = [
    filter.endpoint === null ? undefined : eq(requestLog.endpoint, filter.endpoint),
    filter.apiKeyId === null ? undefined : eq(requestLog.apiKeyId, filter.apiKeyId),
    filter.code === null
      ? undefined
      : filter.code === "refused"
        ? sql`${requestLog.code} is not null`
        : eq(requestLog.code, filter.code),
  ];
  const scan = (db: Database, { where, orderBy }: Slice) =>
    db
      .select()
      .from(requestLog)
      .where(
        and(
          eq(requestLog.pointSystemId, pointSystemId),
          filter.requestId === null ? undefined : eq(requestLog.requestId, filter.requestId),
          where,
        ),
      )
      .orderBy(...orderBy)
      .limit(SCAN_ROWS_MAX)
      .as("request_log");
  return readScannedPage<LoggedCall>(
    {
      date: requestLog.answeredAt,
      id: requestLog.id,
      keyOf: ({ answeredAt, id }) => ({ date: answeredAt, id }),
      select: (slice) =>
        withDatabase((db) =>
          db
            .select({
              id: requestLog.id,
              requestId: requestLog.requestId,
              answeredAt: requestLog.answeredAt,
              endpoint: requestLog.endpoint,
              status: requestLog.status,
              code: requestLog.code,
              apiKeyId: requestLog.apiKeyId,
              keyName: apiKeys.name,
              tookMs: requestLog.tookMs,
            })
            .from(scan(db, slice))
            .leftJoin(apiKeys, eq(apiKeys.id, requestLog.apiKeyId))
            .where(and(...matches))
            .orderBy(...slice.orderBy)
            .limit(slice.limit),
        ),
      findStop: async (slice) => {
        const [stop] = await withDatabase((db) =>
          db
            .select({ date: requestLog.answeredAt, id: requestLog.id })
            .from(scan(db, slice))
            .orderBy(...slice.orderBy)
            .offset(SCAN_ROWS_MAX - 1)
            .limit(1),
        );
        return stop ?? null;
      },
    },
    cursor,
  );
}
