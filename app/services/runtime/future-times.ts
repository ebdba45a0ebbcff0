import { sql } from "drizzle-orm";
import { runForAll } from "../../db/citus/shard-query";
import { withDatabase } from "../../db/client";

/**
 * Brings times back that lie further ahead than the service ever waits: the database's clock was ahead when they were
 * written, and work that waits for them would stand still until then. Work that may be under way keeps its lease for a minute.
 */
export async function bringTimesBack(): Promise<boolean> {
  await withDatabase(async (db) => {
    await db.execute(sql`
      update jobs set run_after = now()
      where state in ('waiting', 'retry') and run_after > now() + interval '1 hour'`);
    await db.execute(sql`
      update jobs set expires_at = now() + interval '1 minute'
      where state = 'active' and expires_at > now() + interval '2 minutes'`);
    await db.execute(sql`
      update chain_followers set lease_until = now() + interval '1 minute'
      where lease_until > now() + interval '2 minutes'`);
    await runForAll(
      db,
      sql`
      update webhook_endpoints set leased_until = now() + interval '1 minute'
      where leased_until > now() + interval '2 minutes'`,
    );
    // One that fails may wait for six hours.
    await runForAll(
      db,
      sql`
      update webhook_endpoints set due_at = now()
      where due_at > now() + case when failures = 0 then interval '1 minute' else interval '7 hours' end`,
    );
  });
  return false;
}
