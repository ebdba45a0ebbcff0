import { sql } from "drizzle-orm";
import { isOnCitus, runForAll } from "../../db/citus/shard-query";
import { withDatabase, withOwnConnection } from "../../db/client";
import type { Database } from "../../db/pool";
import { processState } from "../../process/state";

/** The pages of a table that a statement looks through for old records, on each shard. */
const PAGES_AT_ONCE = 200;

const settings = processState("idempotency", () => ({
  keptDays: 30,
  /** The page from which a removal goes on, and the pages of the largest shard; null when none is under way. */
  removal: null as { page: number; pages: number } | null,
}));

/** Sets the days for which the answers to idempotency keys are kept at least. */
export function setIdempotencyDays(keptDays: number): void {
  settings.keptDays = keptDays;
}

/**
 * Drops the records that are no longer needed, whenever a turn of them is over.
 * @returns whether there may be more of them
 */
export async function turnIdempotencyRecords(): Promise<boolean> {
  if (await withDatabase(isOnCitus)) return withOwnConnection(removeOldRecords);
  await withDatabase((db) =>
    db.execute(sql`select turn_idempotency_records(${settings.keptDays}::int)`),
  );
  return false;
}

/**
 * Removes old records on Citus, where no shard can take the place of another one: once a day, some pages at a time. It
 * follows the rows' places, since an index by time would cost each credit.
 */
async function removeOldRecords(db: Database): Promise<boolean> {
  settings.removal ??= await beginRemoval(db);
  if (!settings.removal) return false;
  const { page, pages } = settings.removal;
  const next = page + PAGES_AT_ONCE;
  for (const table of ["idempotency_records", "idempotency_records_before"]) {
    await runForAll(
      db,
      sql`
        delete from ${sql.identifier(table)}
        where ctid >= ${`(${page},0)`}::tid and ctid < ${`(${next},0)`}::tid
          and created_at < now() - make_interval(days => ${settings.keptDays}::int)`,
    );
  }
  settings.removal = next < pages ? { page: next, pages } : null;
  return settings.removal !== null;
}

async function beginRemoval(db: Database): Promise<{ page: number; pages: number } | null> {
  const [largest] = await db.execute<{ pages: number }>(sql`
    select (max(shard_size) / current_setting('block_size')::int)::int as pages from citus_shards
    where table_name in ('idempotency_records'::regclass, 'idempotency_records_before'::regclass)`);
  const begun = await db.execute(
    sql`update idempotency_turns set began_at = now() where began_at < now() - interval '1 day'`,
  );
  return begun.count === 0 ? null : { page: 0, pages: largest?.pages ?? 0 };
}
