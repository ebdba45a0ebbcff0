import { sql } from "drizzle-orm";
import { createFold, foldInTime } from "../point-systems/fold";

/** Events in one statement: also when all are corrections, each with some look-ups, it stays within its deadline. */
const EVENTS_MAX = 2_000;

/**
 * Counts events and spends into the figures of the program: app/db/functions/insights. It has a
 * position of its own, so a ledger that is older than the figures is counted from its beginning.
 */
export const programFold = createFold({
  name: "program",
  hasTail: sql`exists (
    select 1 from statistics_cursors c where c.point_system_id = t.id and (
      t.event_seq > c.program_seq
      or exists (select 1 from spends s where s.point_system_id = t.id and s.seq > c.program_spend_seq)
    )
  )`,
  listTail: (entriesMax) => sql`
    select from statistics_cursors c
    join point_events e on e.point_system_id = c.point_system_id and e.seq > c.program_seq
    where c.point_system_id = t.id limit ${entriesMax}`,
  entriesMax: () => EVENTS_MAX,
  fold: foldProgram,
});

/**
 * Counts a point system's next events and spends into its program's figures.
 * @returns the number of events or of spends, the greater one; 0 also when another process counts
 *   them
 */
export async function foldProgram(
  pointSystemId: string,
  entriesMax: number,
  timeMaxMs?: number,
): Promise<number> {
  const [row] = await foldInTime(timeMaxMs, (tx) =>
    tx.execute<{ entries: number }>(sql`
      select fold_program(${pointSystemId}::uuid, ${entriesMax}::int) as entries`),
  );
  return row?.entries ?? 0;
}
