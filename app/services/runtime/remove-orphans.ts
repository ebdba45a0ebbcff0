import { sql } from "drizzle-orm";
import { runForAll } from "../../db/citus/shard-query";
import { withDatabase } from "../../db/client";

/** The rows that are removed at once. */
const ORPHANS_MAX = 5_000;

/** A table's column with the ids of owners. */
interface OwnerColumn {
  readonly table: string;
  readonly column: string;
}

/**
 * Removes a batch of rows whose owner is gone. It steps from owner to owner, and reads no other rows of owners that are
 * there: the table has an index of `point_system_id` and the column.
 * @returns whether there may be more
 */
export async function removeOrphans(rows: OwnerColumn, owners: OwnerColumn): Promise<boolean> {
  const [table, id] = [sql.identifier(rows.table), sql.identifier(rows.column)];
  const removed = await withDatabase((db) =>
    runForAll(
      db,
      sql`
      with recursive held as (
        (select point_system_id, ${id} as id from ${table} order by point_system_id, ${id} limit 1)
        union all
        select next.point_system_id, next.id from held h cross join lateral (
          select r.point_system_id, r.${id} as id from ${table} r
          where (r.point_system_id, r.${id}) > (h.point_system_id, h.id)
          order by r.point_system_id, r.${id} limit 1
        ) next
      )
      delete from ${table} where ctid = any(array(
        select r.ctid from held h
        join ${table} r on r.point_system_id = h.point_system_id and r.${id} = h.id
        where not exists (
          select 1 from ${sql.identifier(owners.table)} o
          where o.point_system_id = h.point_system_id and o.${sql.identifier(owners.column)} = h.id
        )
        limit ${ORPHANS_MAX}
      ))`,
    ),
  );
  return removed >= ORPHANS_MAX;
}
