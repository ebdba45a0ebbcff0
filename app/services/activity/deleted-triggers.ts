import { sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { triggers } from "../../db/schema/point-systems";
import { dailyTriggerTotals } from "../../db/schema/statistics";
import type { Member } from "../access/members";

const KEYS_MAX = 100;

/** Lists the keys of deleted triggers that have events, a few seconds behind the ledger. */
export async function listDeletedTriggerKeys({ pointSystemId }: Member): Promise<string[]> {
  const rows = await withDatabase((db) =>
    db.execute<{ key: string }>(sql`
      select distinct t.trigger_key as key from ${dailyTriggerTotals} t
      where t.point_system_id = ${pointSystemId} and not exists (
        select 1 from ${triggers} n where n.point_system_id = ${pointSystemId} and n.key = t.trigger_key
      )
      order by 1 limit ${KEYS_MAX}`),
  );
  return rows.map(({ key }) => key);
}
