import { sql } from "drizzle-orm";
import { createFold, foldInTime } from "../point-systems/fold";

/** Events in one statement, so that it stays well within its deadline. */
const EVENTS_MAX = 5_000;
/** Events in a piece of the activity: as many as reading a deep page may skip one by one. */
const PIECE_SIZE = 1_000;

/** Counts events into the pieces of the activity, by which deep pages are found. */
export const activityFold = createFold({
  name: "activity",
  hasTail: sql`t.event_seq > t.activity_seq`,
  listTail: (entriesMax) => sql`
    select from point_events e where e.point_system_id = t.id and e.seq > t.activity_seq
    limit ${entriesMax}`,
  entriesMax: () => EVENTS_MAX,
  fold: (id, eventsMax, timeMaxMs) => foldActivity(id, eventsMax, PIECE_SIZE, timeMaxMs),
});

/**
 * Counts a point system's next events into its pieces.
 * @returns the number of events; 0 also when another process counts them
 */
export async function foldActivity(
  pointSystemId: string,
  eventsMax: number,
  pieceSize = PIECE_SIZE,
  timeMaxMs?: number,
): Promise<number> {
  const [row] = await foldInTime(timeMaxMs, (tx) =>
    tx.execute<{ events: number }>(sql`
      select fold_activity(${pointSystemId}::uuid, ${eventsMax}::int, ${pieceSize}::int) as events`),
  );
  return row?.events ?? 0;
}
