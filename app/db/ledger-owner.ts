import { sql } from "drizzle-orm";
import { withDatabase } from "./client";

/**
 * Checks whether the role of the open database can change or drop the tables that only grow, because
 * it owns them or is a superuser.
 */
export async function ownsLedger(): Promise<boolean> {
  const [row] = await withDatabase((db) =>
    db.execute<{ owns: boolean }>(sql`
      select bool_or(pg_has_role(current_user, relowner, 'usage')) as owns from pg_class
      where oid in (
        'public.point_events'::regclass, 'public.spends'::regclass, 'public.audit_log'::regclass
      )`),
  );
  return row?.owns ?? false;
}
