import { and, asc, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import { inTransaction, type Transaction } from "../../db/client";
import { pointSystems } from "../../db/schema/point-systems";
import { enqueueAbandonedJobs, enqueueJob } from "../runtime/job-queue";
import { type Place, removeBatch } from "./removal";

/** The tables that can hold many rows of a point system, in the order in which they are emptied. */
export const TABLES = [
  // The cursors are first: without them no more moves are counted.
  "rank_cursors",
  "statistics_cursors",
  "rank_counts",
  "rank_moves",
  "activity_marks",
  "webhook_deliveries",
  "credit_traces",
  "import_rows",
  "imports",
  "daily_trigger_totals",
  "daily_totals",
  "season_totals",
  "board_days",
  "weekly_wallets",
  "wallet_weeks",
  "refused_calls",
  "request_log",
  "distributions",
  "merkle_buckets",
  "allocations",
  "gift_card_reveals",
  "gift_cards",
  "trigger_cap_counts",
  "streak_days",
  "streak_bonuses",
  "wallet_nonces",
  "wallet_links",
  "point_events",
  "spends",
  "wallet_spending",
  "withdrawn_credits",
  "opening_balances",
  "blacklist",
  "wallet_notes",
  "wallets",
  "point_system_totals",
] as const;

/** The tables with rows of windows, by the window's id. */
const WINDOW_TABLES: readonly string[] = [
  "rank_cursors",
  "rank_counts",
  "rank_moves",
  "season_totals",
  "wallets",
];

/** Writes a query of the ids by which a table holds rows of a point system and its boards. */
export function listOwnIds(table: string, id: string): SQL {
  const own = sql`select ${id}::uuid`;
  if (!WINDOW_TABLES.includes(table)) return own;
  return sql`${own} union all select w.id from board_windows w where w.point_system_id = ${id}`;
}

/** Waits for the windows that are being filled, and keeps them from getting more rows until the transaction ends. */
async function holdFills(tx: Transaction, id: string): Promise<void> {
  await tx.execute(
    sql`select 1 from board_windows where point_system_id = ${id} and not is_ready for update`,
  );
}

/**
 * Removes the windows of a point system's boards, in a transaction that found no row of theirs: nothing else says whose
 * rows those are.
 */
export async function removeWindows(tx: Transaction, id: string): Promise<void> {
  await tx.execute(sql`delete from board_windows where point_system_id = ${id}`);
}

/** Queues the removal of a point system's rows, in the transaction of its deletion. */
export async function queuePurge(tx: Transaction, id: string): Promise<void> {
  await enqueueJob(tx, "purge-point-system", { id }, id);
}

/** Queues the removals whose jobs were given up again: of point systems, of boards and of what is in a sandbox. */
export async function queueAbandonedRemovals(): Promise<boolean> {
  await inTransaction(async (tx) => {
    await enqueueAbandonedJobs(
      tx,
      "purge-point-system",
      sql`select p.id::text, json_build_object('id', p.id) from point_systems p where p.deleted_at is not null`,
    );
    await enqueueAbandonedJobs(
      tx,
      "clear-sandbox",
      sql`
          select p.id::text, json_build_object('pointSystemId', p.id) from point_systems p
          where p.clearing_since is not null and p.deleted_at is null`,
    );
    await enqueueAbandonedJobs(
      tx,
      "purge-boards",
      sql`
          select w.point_system_id::text, json_build_object('pointSystemId', w.point_system_id) from board_windows w
          where not exists (
            select 1 from boards b where b.point_system_id = w.point_system_id and b.id = w.board_id
          )
          group by w.point_system_id`,
    );
  });
  return false;
}

/**
 * Removes a batch of rows of a point system's deleted boards, and at last their windows.
 * @returns the place from which more is to be removed; null when it is done
 */
export function purgeDeletedBoards(pointSystemId: string, from: Place = {}): Promise<Place | null> {
  const isDeleted = sql`w.point_system_id = ${pointSystemId} and not exists (
    select 1 from boards b where b.point_system_id = w.point_system_id and b.id = w.board_id
  )`;
  const listIds = () => sql`select w.id from board_windows w where ${isDeleted}`;
  return inTransaction(async (tx) => {
    const removal = { pointSystemId, tables: WINDOW_TABLES, listIds };
    const { rows, rest } = await removeBatch(tx, removal, from);
    if (rest || rows > 0 || from.table) return rest ?? {};
    await tx.execute(sql`delete from board_windows w where ${isDeleted}`);
    return null;
  });
}

/**
 * Removes a batch of rows of a deleted point system, and at last the point system itself. Several
 * processes may do so at once.
 * @param id the point system; the one that was deleted first when left out
 * @returns the place from which more is to be removed; null when it is done
 */
export async function purgeDeletedPointSystem(
  id?: string,
  from: Place = {},
): Promise<Place | null> {
  return inTransaction(async (tx) => {
    const [doomed] = await tx
      .select({ id: pointSystems.id })
      .from(pointSystems)
      .where(and(isNotNull(pointSystems.deletedAt), id ? eq(pointSystems.id, id) : undefined))
      .orderBy(asc(pointSystems.deletedAt))
      .limit(1)
      .for("update", id ? {} : { skipLocked: true });
    if (!doomed) return null;
    // The ledger refuses deletes without this setting, those of a foreign key among them.
    await tx.execute(sql`select set_config('ledger.removes_events', 'on', true)`);
    if (!from.table) await holdFills(tx, doomed.id);
    const listIds = (table: string) => listOwnIds(table, doomed.id);
    const removal = { pointSystemId: doomed.id, tables: TABLES, listIds };
    const { rows, rest } = await removeBatch(tx, removal, from);
    if (rest) return rest;
    if (rows === 0 && !from.table) {
      await removeWindows(tx, doomed.id);
      await tx.delete(pointSystems).where(sql`${pointSystems.id} = ${doomed.id}`);
    }
    return {};
  });
}
