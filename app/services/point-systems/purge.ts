import { and, asc, eq, isNotNull, sql } from "drizzle-orm";
import { type Transaction, withDatabase } from "../../db/client";
import { pointSystems } from "../../db/schema/point-systems";
import { enqueueJob } from "../runtime/job-queue";

/** Rows in one statement, so that it stays well within its deadline and its locks are short. */
const BATCH_ROWS = 2_000;

/** The tables that can hold many rows of a point system, in the order in which they are emptied. */
const TABLES = [
  // The cursors are first: without them no more moves are counted.
  "rank_cursors",
  "statistics_cursors",
  "rank_counts",
  "rank_moves",
  "activity_marks",
  "import_rows",
  "imports",
  "daily_trigger_totals",
  "daily_totals",
  "refused_calls",
  "airdrop_transactions",
  "distributions",
  "merkle_buckets",
  "allocations",
  "gift_card_nonces",
  "gift_card_reveals",
  "gift_cards",
  "point_events",
  "blacklist",
  "wallets",
  "point_system_totals",
] as const;

/** Queues the removal of a point system's rows, in the transaction of its deletion. */
export async function queuePurge(tx: Transaction, id: string): Promise<void> {
  await enqueueJob(tx, "purge-point-system", { id }, id);
}

/** Removes all rows of a deleted point system, or those until the signal. */
export async function purgePointSystem(id: string, signal: AbortSignal): Promise<void> {
  while (await purgeDeletedPointSystem(id)) signal.throwIfAborted();
}

/** Queues the removals whose jobs were given up again. */
export async function queueAbandonedPurges(): Promise<boolean> {
  await withDatabase((db) =>
    db.transaction(async (tx) => {
      const doomed = await tx.execute<{ id: string }>(sql`
        select p.id from point_systems p
        where p.deleted_at is not null and not exists (
          select from jobs j
          where j.queue = 'purge-point-system' and j.key = p.id::text
            and j.state in ('waiting', 'retry', 'active')
        )`);
      for (const { id } of doomed) await queuePurge(tx, id);
    }),
  );
  return false;
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
      // The ledger refuses deletes without this setting.
      await tx.execute(sql`select set_config('ledger.deletes_point_system', 'on', true)`);
      for (const table of TABLES) {
        const removed = await tx.execute(sql`
          delete from ${sql.identifier(table)} where ctid = any(array(
            select ctid from ${sql.identifier(table)}
            where point_system_id = ${doomed.id} limit ${BATCH_ROWS}
          ))`);
        if (removed.count > 0) return true;
      }
      await tx.delete(pointSystems).where(sql`${pointSystems.id} = ${doomed.id}`);
      return true;
    }),
  );
}
