import { sql } from "drizzle-orm";
import { runForAll } from "../../db/citus/shard-query";
import { withDatabase } from "../../db/client";
import { removeOrphans } from "../runtime/remove-orphans";

const REMOVED_MAX = 5_000;

/**
 * Removes a batch of the counts that no credit reads any more: those of windows that ended a day ago, and those of caps
 * that no trigger has. A count that is missed is made again from the ledger.
 * @returns whether there may be more
 */
export async function removeOldCapCounts(): Promise<boolean> {
  const ended = await withDatabase((db) =>
    runForAll(
      db,
      sql`
      delete from trigger_cap_counts where ctid = any(array(
        select ctid from trigger_cap_counts where ends_at < statement_timestamp() - interval '1 day' limit ${REMOVED_MAX}
      ))`,
    ),
  );
  const hasMore = await removeOrphans(
    { table: "trigger_cap_counts", column: "cap_id" },
    { table: "triggers", column: "cap_id" },
  );
  return hasMore || ended >= REMOVED_MAX;
}
