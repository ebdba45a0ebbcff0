import { and, asc, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import { isOnCitus, runForAll } from "../../db/citus/shard-query";
import { DISTRIBUTED_TABLES, REFERENCE_TABLES } from "../../db/citus/tables";
import { type Executor, type Transaction, withDatabase } from "../../db/client";
import { pointSystems } from "../../db/schema/point-systems";
import { enqueueAbandonedJobs, enqueueJob } from "../runtime/job-queue";

/** Rows in one statement or, of a sandbox, in one transaction, so that it stays well within its deadline and its locks are short. */
export const BATCH_ROWS = 2_000;

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
  "wallets",
  "point_system_totals",
  // The last, since it says which rows are of windows.
  "board_windows",
] as const;

/** The tables with rows of windows, by the window's id. */
export const WINDOW_TABLES = [
  "rank_cursors",
  "rank_counts",
  "rank_moves",
  "season_totals",
  "wallets",
] as const;

/** Queues the removal of a point system's rows, in the transaction of its deletion. */
export async function queuePurge(tx: Transaction, id: string): Promise<void> {
  await enqueueJob(tx, "purge-point-system", { id }, id);
}

/** Queues the removals whose jobs were given up again: of point systems, of boards and of what is in a sandbox. */
export async function queueAbandonedRemovals(): Promise<boolean> {
  await withDatabase((db) =>
    db.transaction(async (tx) => {
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
    }),
  );
  return false;
}

/**
 * Removes a batch of rows of a point system's deleted boards, and at last their windows.
 * @returns whether there is more to remove
 */
export function purgeDeletedBoards(pointSystemId: string): Promise<boolean> {
  return withDatabase(async (db) => {
    const isDeleted = sql`w.point_system_id = ${pointSystemId} and not exists (
      select 1 from boards b where b.point_system_id = w.point_system_id and b.id = w.board_id
    )`;
    const windows = sql`select w.id from board_windows w where ${isDeleted}`;
    for (const table of WINDOW_TABLES) {
      if ((await removeRows(db, table, windows)) > 0) return true;
    }
    await db.execute(sql`delete from board_windows w where ${isDeleted}`);
    return false;
  });
}

/** The tables that lie on shards on Citus. */
const DISTRIBUTED: ReadonlySet<string> = new Set(DISTRIBUTED_TABLES);
const ON_EVERY_NODE: ReadonlySet<string> = new Set(REFERENCE_TABLES);

/**
 * Removes a batch of a table's rows whose `point_system_id` is one of `ids`.
 * @param isDoomed a further condition of the rows
 * @returns the number of rows
 */
export async function removeRows(
  executor: Executor,
  table: string,
  ids: SQL,
  rowsMax: number = BATCH_ROWS,
  isDoomed: SQL = sql`true`,
): Promise<number> {
  // A row has another place in each copy of such a table.
  if (ON_EVERY_NODE.has(table) && (await isOnCitus(executor))) {
    const removed = await executor.execute(sql`
      delete from ${sql.identifier(table)} where point_system_id = any(array(${ids})) and ${isDoomed}`);
    return removed.count;
  }
  const run = DISTRIBUTED.has(table)
    ? (statement: SQL) => runForAll(executor, statement)
    : async (statement: SQL) => (await executor.execute(statement)).count;
  return run(sql`
    delete from ${sql.identifier(table)} where ctid = any(array(
      select ctid from ${sql.identifier(table)}
      where point_system_id = any(array(${ids})) and ${isDoomed} limit ${rowsMax}
    ))`);
}

/**
 * Removes a batch of rows of a deleted point system, and at last the point system itself. Several
 * processes may do so at once.
 * @param id the point system; the one that was deleted first when left out
 * @returns whether there is more to remove
 */
export async function purgeDeletedPointSystem(id?: string): Promise<boolean> {
  return withDatabase((db) =>
    db.transaction(async (tx) => {
      const [doomed] = await tx
        .select({ id: pointSystems.id })
        .from(pointSystems)
        .where(and(isNotNull(pointSystems.deletedAt), id ? eq(pointSystems.id, id) : undefined))
        .orderBy(asc(pointSystems.deletedAt))
        .limit(1)
        .for("update", id ? {} : { skipLocked: true });
      if (!doomed) return false;
      // The ledger refuses deletes without this setting, those of a foreign key among them.
      await tx.execute(sql`select set_config('ledger.removes_events', 'on', true)`);
      const windows = sql`select id from board_windows where point_system_id = ${doomed.id}`;
      for (const table of WINDOW_TABLES) {
        if ((await removeRows(tx, table, windows)) > 0) return true;
      }
      for (const table of TABLES) {
        if ((await removeRowsOf(tx, table, doomed.id)) > 0) return true;
      }
      await tx.delete(pointSystems).where(sql`${pointSystems.id} = ${doomed.id}`);
      return true;
    }),
  );
}

/** The append-only tables. The service's role need not have the right to delete from these: `purge_ledger` has. */
const LEDGERS: readonly string[] = ["point_events", "spends"];

/** Removes a batch of a table's rows of a point system, as `removeRows` does. */
export async function removeRowsOf(
  tx: Transaction,
  table: string,
  id: string,
  rowsMax: number = BATCH_ROWS,
  isDoomed?: SQL,
): Promise<number> {
  if (!LEDGERS.includes(table)) {
    return removeRows(tx, table, sql`select ${id}::uuid`, rowsMax, isDoomed);
  }
  const [purged] = await tx.execute<{ rows: number }>(
    sql`select purge_ledger(${table}, ${id}, ${rowsMax}) as rows`,
  );
  return purged?.rows ?? 0;
}
