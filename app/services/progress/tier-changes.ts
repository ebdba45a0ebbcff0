import { sql } from "drizzle-orm";
import { createFold, foldInTime } from "../point-systems/fold";

/** Events in one statement, so that it stays well within its deadline. */
const EVENTS_MAX = 5_000;

/** Says changes of wallets' tiers to webhooks, from the ledger: app/db/functions/progress/fold_tiers.sql. */
export const tiersFold = createFold({
  name: "tiers",
  hasTail: sql`t.event_seq > (select c.seq from tier_cursors c where c.point_system_id = t.id)`,
  listTail: (entriesMax) => sql`
    select from tier_cursors c join point_events e on e.point_system_id = c.point_system_id and e.seq > c.seq
    where c.point_system_id = t.id limit ${entriesMax}`,
  entriesMax: () => EVENTS_MAX,
  fold: foldTiers,
});

/**
 * Says the changes of tiers in a point system's next events.
 * @returns the number of events; 0 also when another process does so, or no webhook listens
 */
export async function foldTiers(
  pointSystemId: string,
  eventsMax: number,
  timeMaxMs?: number,
): Promise<number> {
  const [row] = await foldInTime(timeMaxMs, (tx) =>
    tx.execute<{ events: number }>(sql`
      select fold_tiers(${pointSystemId}::uuid, ${eventsMax}::int) as events`),
  );
  return row?.events ?? 0;
}
