import { sql } from "drizzle-orm";
import { type Executor, type Transaction, withDatabase, withOwnConnection } from "../../db/client";
import { writeLedger } from "../ledger/write-ledger";
import { enqueueAbandonedJobs, enqueueJob } from "../runtime/job-queue";
import { rebuildRanks } from "./rank-counts";

/** The events that are counted while credits of the point system wait. */
const EVENTS_AT_ONCE = 10_000;
/** Later events that leave little enough for the last pass, which holds the ledger lock. */
const EVENTS_LEFT_MAX = 2_000;
/** The passes after which the last one is taken in any case. */
const PASSES_MAX = 50;

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
  if (row?.isShort) await finishFill(tx, key);
  else await enqueueJob(tx, "fill-board", key, key.windowId);
}

/**
 * Fills a window and makes its counts. Credits go on meanwhile, except during the last pass over the events that came
 * since the one before. An interrupted job is repeated from where it ended.
 */
export async function fillBoard(key: WindowKey, signal: AbortSignal): Promise<void> {
  for (let pass = 0; pass < PASSES_MAX; pass += 1) {
    signal.throwIfAborted();
    const passed = await withOwnConnection((db) => passOver(db, key));
    if (passed <= EVENTS_LEFT_MAX) break;
  }
  await writeLedger(key.pointSystemId, (tx) => finishFill(tx, key, false));
  await rebuildRanks(key.windowId);
}

/** Queues the fills whose jobs were given up again. */
export async function queueAbandonedFills(): Promise<boolean> {
  await withDatabase((db) =>
    db.transaction((tx) =>
      enqueueAbandonedJobs(
        tx,
        "fill-board",
        sql`
          select w.id::text, json_build_object('pointSystemId', w.point_system_id, 'windowId', w.id)
          from board_windows w
          join point_systems p on p.id = w.point_system_id and p.deleted_at is null
          where not w.is_ready and not w.is_settled`,
      ),
    ),
  );
  return false;
}

async function passOver(executor: Executor, { windowId }: WindowKey): Promise<number> {
  const [row] = await executor.execute<{ passed: number }>(
    sql`select fill_board_window(${windowId}::uuid)::int as passed`,
  );
  return row?.passed ?? 0;
}

/**
 * Takes the last pass, and opens the window to credits. One that has ended meanwhile is closed, and the present window
 * of a repeating board is filled in turn. The caller holds the ledger lock.
 */
async function finishFill(tx: Transaction, key: WindowKey, makesCounts = true): Promise<void> {
  const { pointSystemId, windowId } = key;
  await passOver(tx, key);
  const [ended] = await tx.execute<{ nextId: string | null }>(sql`
    select open_filled_window(${pointSystemId}::uuid, ${windowId}::uuid) as "nextId"`);
  // Without events, this wakes the fold that adds up a season's points.
  await tx.execute(sql`select next_ledger_seq(${pointSystemId}::uuid)`);
  if (makesCounts) await tx.execute(sql`select rebuild_ranks(${windowId}::uuid)`);
  if (ended?.nextId) await beginFill(tx, { pointSystemId, windowId: ended.nextId });
}
