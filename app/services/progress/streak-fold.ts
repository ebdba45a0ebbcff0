import { sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { NotSentError } from "../../db/errors";
import { waitInTime } from "../../domain/deadline";
import { Failure } from "../../domain/failure";
import { createFold, foldInTime } from "../point-systems/fold";
import { payBonuses } from "./streak-bonuses";

/** Events in one statement, so that it stays well within its deadline. */
const EVENTS_MAX = 5_000;

/** Counts events into the days of streaks, and pays the bonuses that they reach. */
export const streaksFold = createFold({
  name: "streaks",
  hasTail: sql`(
    exists (select 1 from streaks s where s.point_system_id = t.id and s.counted_seq < t.event_seq)
    or exists (select 1 from streak_bonuses b where b.point_system_id = t.id and b.state = 'due')
  )`,
  listTail: (entriesMax) => sql`
    select from point_events e where e.point_system_id = t.id and e.seq > (
      select min(s.counted_seq) from streaks s where s.point_system_id = t.id
    )
    limit ${entriesMax}`,
  entriesMax: () => EVENTS_MAX,
  fold: foldStreaks,
});

/**
 * Counts the next events of a point system for each of its streaks, and pays what is due. A process that ends in
 * between leaves the rest to the next one.
 * @returns the most events that were counted for a streak, or `eventsMax` when more bonuses are due; 0 also when another
 *   process counts them
 */
export async function foldStreaks(
  pointSystemId: string,
  eventsMax: number,
  timeMaxMs?: number,
): Promise<number> {
  const rows = await withDatabase((db) =>
    db.execute<{ id: string }>(sql`
      select id from streaks where point_system_id = ${pointSystemId} order by created_at, id`),
  );
  const startedAtMs = performance.now();
  const getTimeLeftMs = () =>
    timeMaxMs && Math.ceil(Math.max(1, timeMaxMs - (performance.now() - startedAtMs)));
  let most = 0;
  for (const { id } of rows) {
    // In a transaction of its own: app/db/functions/progress/fold_streak.sql.
    const [row] = await foldInTime(getTimeLeftMs(), (tx) =>
      tx.execute<{ events: number }>(sql`
        select fold_streak(${pointSystemId}::uuid, ${id}::uuid, ${eventsMax}::int) as events`),
    );
    most = Math.max(most, row?.events ?? 0);
  }
  const paying = payBonuses(pointSystemId);
  // While another holds the ledger, the payment goes on waiting for it after this function has given up.
  const hasMore = await (timeMaxMs === undefined
    ? paying
    : waitInTime(paying, timeMaxMs, () => {
        return new Failure("service_unavailable", { cause: new NotSentError() });
      }));
  return hasMore ? eventsMax : most;
}
