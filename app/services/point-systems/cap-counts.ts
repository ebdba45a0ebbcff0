import { sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";

const REMOVED_MAX = 5_000;

/**
 * Removes a batch of the counts that no credit reads any more: those of windows that ended a day ago, and those of caps
 * that no trigger has. A count that is missed is made again from the ledger.
 * @returns whether there may be more
 */
export async function removeOldCapCounts(): Promise<boolean> {
  const removed = await withDatabase((db) =>
    db.execute(sql`
      with recursive caps as (
        (select point_system_id, cap_id from trigger_cap_counts order by point_system_id, cap_id limit 1)
        union all
        select next.point_system_id, next.cap_id from caps c cross join lateral (
          select u.point_system_id, u.cap_id from trigger_cap_counts u
          where (u.point_system_id, u.cap_id) > (c.point_system_id, c.cap_id)
          order by u.point_system_id, u.cap_id limit 1
        ) next
      )
      delete from trigger_cap_counts where ctid = any(array(
        (select ctid from trigger_cap_counts where ends_at < statement_timestamp() - interval '1 day' limit ${REMOVED_MAX})
        union all
        (select u.ctid from caps c
          join trigger_cap_counts u on u.point_system_id = c.point_system_id and u.cap_id = c.cap_id
          where not exists (
            select from triggers t where t.point_system_id = c.point_system_id and t.cap_id = c.cap_id
          )
          limit ${REMOVED_MAX})
      ))`),
  );
  return removed.count >= REMOVED_MAX;
}
