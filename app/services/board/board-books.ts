import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { toBytea } from "../../db/bulk";
import { type Executor, type Transaction, withDatabase, withOwnConnection } from "../../db/client";
import type { Database } from "../../db/pool";
import { Failure } from "../../domain/failure";
import { changeInWindow, type WalletChange } from "../ledger/board-windows";
import { moveOnBoards } from "../ledger/rank-moves";
import { lockLedgerInTime } from "../ledger/write-ledger";
import { rebuildRanks } from "./rank-counts";

/** Wrong wallets that one comparison of a window lists, which bounds the memory. */
const LISTED_MAX = 100_000;
/** The most comparisons of a window in one rebuild. */
const ROUNDS_MAX = 100;
/** Wallets that are righted in one transaction, for which credits wait. */
const RIGHTED_AT_ONCE = 1_000;

/** The points and events that a wallet lacked in a window when the newest event had the position `seq`. */
interface WindowFault extends WalletChange {
  readonly seq: string;
}

/**
 * Rebuilds the books of a point system while other work continues: the counts of its all-time board from the wallets, and
 * the windows of its other boards from the ledger's events. Credits wait only while some wallets of an open window are
 * righted that do not match the events.
 * @param signal ends it between two boards
 * @returns false when another process rebuilds one of them, or no such point system exists
 * @throws {LedgerLockedError} when such a window has to wait for another writer for long
 */
export async function rebuildBooks(pointSystemId: string, signal?: AbortSignal): Promise<boolean> {
  let isDone = await rebuildRanks(pointSystemId);
  const windows = await withDatabase((db) =>
    db.execute<{ id: string }>(sql`
      select w.id from board_windows w
      join boards b on b.point_system_id = w.point_system_id and b.id = w.board_id
      join point_systems p on p.id = w.point_system_id and p.deleted_at is null
      where w.point_system_id = ${pointSystemId} and w.is_ready order by w.starts_at`),
  );
  for (const { id } of windows) {
    signal?.throwIfAborted();
    const isRighted = await rightWindow(pointSystemId, id).catch((error: unknown) => {
      // The point system was deleted meanwhile.
      if (error instanceof Failure && error.code === "not_found") return false;
      throw error;
    });
    const isCounted = await rebuildRanks(id);
    if (!isRighted || !isCounted) isDone = false;
  }
  return isDone;
}

/**
 * Rights the wallets of a window. It is compared with the events without the ledger lock.
 * @returns false when another process rights it: both would add what a wallet lacks
 */
function rightWindow(pointSystemId: string, windowId: string): Promise<boolean> {
  return withOwnConnection(async (db) => {
    // Until the connection ends.
    const [lock] = await db.execute<{ isFree: boolean; pid: number }>(sql`
      select pg_try_advisory_lock(hashtextextended(${`window:${windowId}`}, 0)) as "isFree", pg_backend_pid() as pid`);
    if (!lock?.isFree) return false;
    // Once more after each: a wallet that a void has emptied meanwhile has lost its other events.
    for (let listed = 1, rounds = 0; listed > 0 && rounds < ROUNDS_MAX; rounds += 1) {
      const faults = await listFaults(db, windowId);
      listed = faults.length;
      for (let start = 0; start < listed; start += RIGHTED_AT_ONCE) {
        await rightWallets(
          db,
          { pointSystemId, windowId, pid: lock.pid },
          faults.slice(start, start + RIGHTED_AT_ONCE),
        );
      }
    }
    return true;
  });
}

/**
 * Counts the events over which the times of a window have passed, and a season's total again. The caller holds the ledger
 * lock and has changed the times.
 * @param before the times until then
 */
export async function countPassedEvents(
  tx: Transaction,
  pointSystemId: string,
  windowId: string,
  before: { readonly startsAt: Date; readonly endsAt: Date },
): Promise<void> {
  const changes = await tx.execute<WalletChange & Record<string, unknown>>(sql`
    select '0x' || encode(c.address, 'hex') as address, c.points::float8 as points, c.events::float8 as events
    from count_passed_events(
      ${windowId}::uuid, ${before.startsAt.toISOString()}::timestamptz, ${before.endsAt.toISOString()}::timestamptz
    ) c`);
  if (changes.length === 0) return;
  const addresses = changes.map(({ address }) => address);
  await moveOnBoards(tx, [windowId], addresses, () =>
    changeInWindow(tx, pointSystemId, windowId, changes),
  );
  await tx.execute(sql`delete from season_totals where point_system_id = ${windowId}::uuid`);
  await tx.execute(sql`select open_season_total(${windowId}::uuid)`);
}

function listFaults(executor: Executor, windowId: string): Promise<WindowFault[]> {
  return executor.execute<WindowFault & Record<string, unknown>>(sql`
    select '0x' || encode(f.address, 'hex') as address, f.points::float8 as points, f.events::float8 as events,
      f.seq::text as seq
    from list_window_faults(${windowId}::uuid, ${LISTED_MAX}::int) f`);
}

/**
 * Adds what wallets lacked. What was credited since then was added to both, the wallets and the events, and a move took
 * what a wallet lacks along with its points.
 */
async function rightWallets(
  db: Database,
  { pointSystemId, windowId, pid }: { pointSystemId: string; windowId: string; pid: number },
  faults: readonly WindowFault[],
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockLedgerInTime(tx, pointSystemId);
    const [session] = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
    // A lost connection is replaced in silence, and its lock is gone: another process may right the window.
    if (session?.pid !== pid) throw new Error("The connection that held the window was lost");
    // None when the board was deleted meanwhile.
    const changes = await tx.execute<WalletChange & Record<string, unknown>>(sql`
      select '0x' || encode(h.address, 'hex') as address, sum(f.points)::float8 as points, sum(f.events)::float8 as events
      from board_windows w
      join boards b on b.point_system_id = w.point_system_id and b.id = w.board_id
      cross join unnest(
        ${toArrayLiteral(faults.map(({ address }) => toBytea(address)))}::bytea[],
        ${toArrayLiteral(faults.map(({ points }) => String(points)))}::bigint[],
        ${toArrayLiteral(faults.map(({ events }) => String(events)))}::bigint[],
        ${toArrayLiteral(faults.map(({ seq }) => seq))}::bigint[]
      ) as f(address, points, events, seq)
      cross join lateral (
        select find_event_holder(
          ${pointSystemId}::uuid, f.address, f.seq, coalesce(w.closed_seq, 9223372036854775807)
        ) as address offset 0
      ) h
      where w.point_system_id = ${pointSystemId}::uuid and w.id = ${windowId}::uuid
      group by h.address`);
    const addresses = changes.map(({ address }) => address);
    await moveOnBoards(tx, [windowId], addresses, () =>
      changeInWindow(tx, pointSystemId, windowId, changes),
    );
  });
}
