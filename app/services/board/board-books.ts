import { sql } from "drizzle-orm";
import { withDatabase, withOwnConnection } from "../../db/client";
import { lockLedgerInTime } from "../ledger/write-ledger";
import { rebuildRanks } from "./rank-counts";

/**
 * Rebuilds the books of a point system while other work continues: the counts of its all-time board from the wallets, and
 * the windows of its other boards from the ledger's events. Credits wait only while the wallets of an open window are
 * righted that do not match the events.
 * @returns false when another process rebuilds one of them, or no such point system exists
 * @throws {LedgerLockedError} when such a window has to wait for another writer for long
 */
export async function rebuildBooks(pointSystemId: string): Promise<boolean> {
  let isDone = await rebuildRanks(pointSystemId);
  const windows = await withDatabase((db) =>
    db.execute<{ id: string; isArchived: boolean }>(sql`
      select w.id, coalesce(t.archived_before > w.starts_at, false) as "isArchived"
      from board_windows w
      join boards b on b.point_system_id = w.point_system_id and b.id = w.board_id
      join point_systems p on p.id = w.point_system_id and p.deleted_at is null
      left join point_system_totals t on t.point_system_id = w.point_system_id
      where w.point_system_id = ${pointSystemId} and w.is_ready order by w.starts_at`),
  );
  for (const { id, isArchived } of windows) {
    // Archived events are not in the ledger: their wallets are what is left of them.
    const isRighted = !isArchived && (await rightWindow(pointSystemId, id));
    if (!isRighted && !(await rebuildRanks(id))) isDone = false;
  }
  return isDone;
}

/**
 * Rights the wallets of a window, and makes its counts again.
 * @returns false when the wallets match the events
 */
function rightWindow(pointSystemId: string, windowId: string): Promise<boolean> {
  return withOwnConnection(async (db) => {
    const [wrong] = await db.execute(
      sql`select from list_window_differences(${windowId}::uuid) limit 1`,
    );
    if (!wrong) return false;
    await db.transaction(async (tx) => {
      await lockLedgerInTime(tx, pointSystemId);
      await tx.execute(sql`select recount_board_window(${windowId}::uuid)`);
      await tx.execute(sql`select rebuild_ranks(${windowId}::uuid)`);
    });
    return true;
  });
}
