import { sql } from "drizzle-orm";
import { withDatabase, withOwnConnection } from "../../db/client";
import { createFold } from "../point-systems/fold";
import { enqueueJob } from "../runtime/job-queue";

/** Entries in one statement, so that it stays well within its deadline. */
const ENTRIES_MAX = 5_000;

/**
 * Counts the moves of wallets since the last run, so that reading a rank has little to add. It uses
 * one statement for each point system, so a process that stops halfway leaves nothing half done or
 * locked. Several processes may do so at once.
 */
export const ranksFold = createFold({
  name: "ranks",
  hasTail: sql`greatest(t.event_seq, t.move_seq) > t.ranks_seq`,
  listTail: (entriesMax) => sql`
    select from rank_tail(t.id, t.ranks_seq, ${entriesMax}) limit ${entriesMax}`,
  entriesMax: () => ENTRIES_MAX,
  fold: foldRanks,
  repair: (pointSystemId) =>
    withDatabase((db) =>
      db.transaction((tx) => enqueueJob(tx, "rebuild-ranks", { pointSystemId }, pointSystemId)),
    ),
});

/**
 * Counts the next moves of a point system's wallets.
 * @returns the number of moves; 0 also when another process counts them, or the counts are not
 *   built yet
 */
export async function foldRanks(
  pointSystemId: string,
  entriesMax: number = ENTRIES_MAX,
): Promise<number> {
  const [row] = await withDatabase((db) =>
    db.execute<{ entries: number }>(
      sql`select fold_ranks(${pointSystemId}::uuid, ${entriesMax}::int) as entries`,
    ),
  );
  return row?.entries ?? 0;
}

/**
 * Builds the counts of a point system that has none yet, because it is older than the ranks. Until
 * then its ranks are found by counting the wallets ahead.
 * @returns whether there may be another such point system
 */
export async function buildMissingRanks(): Promise<boolean> {
  const [missing] = await withDatabase((db) =>
    db.execute<{ id: string }>(sql`
      select p.id from point_systems p
      left join rank_cursors c on c.point_system_id = p.id
      where c.point_system_id is null and p.deleted_at is null
      order by p.id limit 1`),
  );
  return missing ? rebuildRanks(missing.id) : false;
}

/**
 * Rebuilds a point system's counts while other work continues: readers use the old counts until the
 * new ones are complete.
 * @returns false when another process rebuilds them, or no such point system exists
 */
export async function rebuildRanks(pointSystemId: string): Promise<boolean> {
  const [row] = await withOwnConnection((db) =>
    db.execute<{ isDone: boolean }>(sql`select rebuild_ranks(${pointSystemId}::uuid) as "isDone"`),
  );
  return row?.isDone ?? false;
}

/** Lists the ids of all point systems that have a board. */
export async function listRankedPointSystems(): Promise<string[]> {
  const rows = await withDatabase((db) =>
    db.execute<{ id: string }>(
      sql`select id from point_systems where deleted_at is null order by id`,
    ),
  );
  return rows.map(({ id }) => id);
}
