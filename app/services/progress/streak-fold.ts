import { sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { createFold } from "../point-systems/fold";
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
 * @returns the most events that were counted for a streak; 0 also when another process counts them
 */
export async function foldStreaks(pointSystemId: string, eventsMax: number): Promise<number> {
  const rows = await withDatabase((db) =>
    db.execute<{ id: string }>(sql`
      select id from streaks where point_system_id = ${pointSystemId} order by created_at, id`),
  );
  let most = 0;
  for (const { id } of rows) most = Math.max(most, await foldStreak(pointSystemId, id, eventsMax));
  while (await payBonuses(pointSystemId));
  return most;
}

/** Counts the next events for one streak, in a transaction: app/db/functions/progress/fold_streak.sql. */
async function foldStreak(pointSystemId: string, id: string, eventsMax: number): Promise<number> {
  const [row] = await withDatabase((db) =>
    db.execute<{ events: number }>(sql`
      select fold_streak(${pointSystemId}::uuid, ${id}::uuid, ${eventsMax}::int) as events`),
  );
  return row?.events ?? 0;
}
