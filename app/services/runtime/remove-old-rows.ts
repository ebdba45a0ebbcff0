import { type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { withDatabase } from "../../db/client";

// The time is that of the statement: with a clock that moves, PostgreSQL would read the whole index.

/** The most rows of one statement, so that it ends well within its deadline. */
const ROWS_MAX = 5_000;

/**
 * Removes a batch of a table's rows whose time has passed.
 * @param end the column of that time, which has an index
 * @returns whether there are more
 */
export function removeExpired(table: PgTable, end = "expires_at"): Promise<boolean> {
  const time = sql.identifier(end);
  return removeRows(
    table,
    sql`
      select ctid from ${table} where ${time} <= statement_timestamp()
      order by ${time} limit ${ROWS_MAX} for update skip locked`,
  );
}

/**
 * Removes a batch of the rows of point systems that are older than some days. It goes from point system to point system:
 * the table has an index of `point_system_id` and the time.
 * @param time the column of the time
 * @returns whether there are more
 */
export function removeOlder(table: PgTable, time: string, days: number): Promise<boolean> {
  return removeRows(
    table,
    sql`
      select old.ctid from list_point_system_ids() p
      cross join lateral (
        select r.ctid from ${table} r
        where r.point_system_id = p.id
          and r.${sql.identifier(time)} < statement_timestamp() - make_interval(days => ${days})
        limit ${ROWS_MAX}
      ) old
      limit ${ROWS_MAX}`,
  );
}

async function removeRows(table: PgTable, places: SQL): Promise<boolean> {
  const removed = await withDatabase((db) =>
    db.execute(sql`delete from ${table} where ctid = any(array(${places}))`),
  );
  return removed.count === ROWS_MAX;
}
