import { sql } from "drizzle-orm";
import { readForAll } from "../../db/citus/shard-query";
import { type Executor, type Transaction, withDatabase, withOwnConnection } from "../../db/client";
import { writeLedger } from "../ledger/write-ledger";
import { enqueueAbandonedJobs, enqueueJob } from "../runtime/job-queue";
import { rebuildRanks } from "./rank-counts";

/** The events that are counted while credits of the point system wait. A pass behind the first one counts no more. */
const EVENTS_AT_ONCE = 10_000;
/** Later events that are few enough for a pass that holds the ledger lock. */
const EVENTS_LEFT_MAX = 2_000;
/** Addresses of the blacklist that are looked up in one transaction. */
const MARKED_AT_ONCE = 2_000;
/** The passes after which one that holds the ledger lock follows in any case. */
const PASSES_MAX = 10_000;

/** The window that a queued job fills. */
interface WindowKey {
  readonly pointSystemId: string;
  readonly windowId: string;
}

/**
 * Counts the ledger into a new window that began in the past: at once when it has few events, otherwise by a job. The
 * caller holds the ledger lock.
 */
export async function beginFill(tx: Transaction, key: WindowKey): Promise<void> {
  const [row] = await tx.execute<{ isShort: boolean }>(sql`
    select count(*) <= ${EVENTS_AT_ONCE} as "isShort" from (
      select 1 from point_events e
      join board_windows w on w.point_system_id = e.point_system_id and w.id = ${key.windowId}
      where e.point_system_id = ${key.pointSystemId} and e.created_at >= w.starts_at and e.created_at < w.ends_at
      limit ${EVENTS_AT_ONCE + 1}
    ) e`);
  if (row?.isShort) {
    while ((await passOver(tx, key, true)) === EVENTS_AT_ONCE);
    await openWindow(tx, key, true);
  } else await enqueueJob(tx, "fill-board", key, key.windowId);
}

/**
 * Fills a window and makes its counts. Credits go on meanwhile, but wait for each of the last passes, and for marks of the
 * blacklist. An interrupted job is repeated from where it ended.
 */
export async function fillBoard(key: WindowKey, signal: AbortSignal): Promise<void> {
  for (let pass = 0; pass < PASSES_MAX; pass += 1) {
    signal.throwIfAborted();
    const passed = await withOwnConnection((db) => passOver(db, key, false));
    if (passed <= EVENTS_LEFT_MAX) break;
  }
  await openFilled(key, signal);
  await rebuildRanks(key.windowId);
  await openSeasonTotal(key);
}

/** Queues the fills whose jobs were given up again, and the seasons whose points were never added up. */
export async function queueAbandonedFills(): Promise<boolean> {
  await withDatabase(async (db) => {
    const waiting = await readForAll<WindowKey & Record<string, unknown>>(
      db,
      sql`
      select w.point_system_id as "pointSystemId", w.id as "windowId" from (
        select f.point_system_id, f.id from board_windows f where not f.is_ready and not f.is_settled
        union all
        select s.point_system_id, s.id from boards b
        join board_windows s on s.point_system_id = b.point_system_id and s.board_id = b.id and s.is_ready
        where b.kind = 'season' and not exists (
          select 1 from season_totals t where t.point_system_id = s.id
        )
      ) w
      join point_systems p on p.id = w.point_system_id and p.deleted_at is null`,
    );
    if (waiting.length === 0) return;
    const due = waiting.map((data) => ({ key: data.windowId, data }));
    await db.transaction((tx) =>
      enqueueAbandonedJobs(
        tx,
        "fill-board",
        sql`select d.key, d.data from json_to_recordset(${JSON.stringify(due)}::text::json) d(key text, data json)`,
      ),
    );
  });
  return false;
}

/**
 * Adds up the points of a season that has no total yet: a statement over all its wallets. Credits go on meanwhile; the
 * figures of the program rest.
 */
export async function openSeasonTotal({ pointSystemId, windowId }: WindowKey): Promise<void> {
  await withOwnConnection((db) =>
    db.transaction(async (tx) => {
      await tx.execute(sql`select lock_program(${pointSystemId}::uuid)`);
      await tx.execute(sql`select open_season_total(${windowId}::uuid)`);
    }),
  );
}

async function passOver(
  executor: Executor,
  { windowId }: WindowKey,
  isLocked: boolean,
): Promise<number> {
  const [row] = await executor.execute<{ passed: number }>(
    sql`select fill_board_window(${windowId}::uuid, ${isLocked})::int as passed`,
  );
  return row?.passed ?? 0;
}

/**
 * Marks the blacklisted wallets of a window that is being filled, some at a time. Credits wait for each of these steps.
 * @returns the position up to which the window was filled before; undefined when it is open
 */
async function markBlacklisted(key: WindowKey, signal: AbortSignal): Promise<string | undefined> {
  const { pointSystemId, windowId } = key;
  const filledSeq = await withDatabase((db) => readFilledSeq(db, key));
  for (let after: string | null = ""; filledSeq !== undefined && after !== null; ) {
    signal.throwIfAborted();
    const start: string = after;
    after = await writeLedger(pointSystemId, async (tx) => {
      const [row] = await tx.execute<{ after: string | null }>(sql`
        select encode(mark_filled_wallets(
          ${pointSystemId}::uuid, ${windowId}::uuid, decode(${start}, 'hex'), ${MARKED_AT_ONCE}::int
        ), 'hex') as after`);
      return row?.after ?? null;
    });
  }
  return filledSeq;
}

/**
 * Marks the blacklisted wallets, and takes passes that mark new ones until no event is left: then the window is opened. It
 * is marked again when another process has filled it further meanwhile.
 */
async function openFilled(key: WindowKey, signal: AbortSignal): Promise<void> {
  let markedSeq = await markBlacklisted(key, signal);
  while (markedSeq !== undefined) {
    signal.throwIfAborted();
    const markedTo: string = markedSeq;
    const next = await writeLedger(key.pointSystemId, async (tx) => {
      if ((await readFilledSeq(tx, key)) !== markedTo) return null;
      if ((await passOver(tx, key, true)) === EVENTS_AT_ONCE) return readFilledSeq(tx, key);
      await openWindow(tx, key, false);
      return undefined;
    });
    markedSeq = next === null ? await markBlacklisted(key, signal) : next;
  }
}

/** Reads the position up to which a window is filled, behind a pass that is under way; undefined when it is open. */
async function readFilledSeq(
  executor: Executor,
  { pointSystemId, windowId }: WindowKey,
): Promise<string | undefined> {
  const [row] = await executor.execute<{ seq: string }>(sql`
    select filled_seq::text as seq from board_windows
    where point_system_id = ${pointSystemId}::uuid and id = ${windowId}::uuid and not is_ready for update`);
  return row?.seq;
}

/**
 * Opens the window to credits. One that has ended meanwhile is closed, and the present window of a repeating board is
 * filled in turn. The caller holds the ledger lock, and no event is left.
 * @param isSmall whether its counts and its total are made in the same transaction
 */
async function openWindow(tx: Transaction, key: WindowKey, isSmall: boolean): Promise<void> {
  const { pointSystemId, windowId } = key;
  const [ended] = await tx.execute<{ nextId: string | null }>(sql`
    select open_filled_window(${pointSystemId}::uuid, ${windowId}::uuid) as "nextId"`);
  if (isSmall) {
    await tx.execute(sql`select rebuild_ranks(${windowId}::uuid)`);
    await tx.execute(sql`select open_season_total(${windowId}::uuid)`);
  }
  if (ended?.nextId) await beginFill(tx, { pointSystemId, windowId: ended.nextId });
}
