import { asc, isNotNull, sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { pointSystems } from "../../db/schema/point-systems";

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

/**
 * Removes a batch of rows of a deleted point system, and at last the point system itself. Several
 * processes may do so at once.
 * @returns whether there is more to remove
 */
export async function purgeDeletedPointSystem(): Promise<boolean> {
  return withDatabase((db) =>
    db.transaction(async (tx) => {
      const [doomed] = await tx
        .select({ id: pointSystems.id })
        .from(pointSystems)
        .where(isNotNull(pointSystems.deletedAt))
        .orderBy(asc(pointSystems.deletedAt))
        .limit(1)
        .for("update", { skipLocked: true });
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
