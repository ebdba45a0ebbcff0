import { asc, isNotNull, sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { pointSystems } from "../../db/schema/point-systems";

/** Rows a statement: well within its deadline, and its locks are short. */
const BATCH_ROWS = 2_000;

/** Everything of a point system that can be many rows, in the order in which it can go. */
const TABLES = [
  // The cursor first: without it nothing is counted any more.
  "rank_cursors",
  "rank_counts",
  "rank_moves",
  "import_rows",
  "imports",
  "daily_trigger_totals",
  "daily_totals",
  "statistics_cursors",
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
 * Removes a batch of what a deleted point system has left behind, and at last the point system
 * itself. Any number of processes may do so at once.
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
      // The ledger refuses deletes that do not say what they are part of.
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
