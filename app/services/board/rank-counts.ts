import { sql } from "drizzle-orm";
import { withDatabase, withOwnConnection } from "../../db/client";
import { createRound } from "../point-systems/round";

/** Entries in one statement, so that it stays well within its deadline. */
const ENTRIES_MAX = 5_000;

const findWaiting = createRound(
  sql`greatest(
    (select seq from point_events where point_system_id = p.id order by seq desc limit 1),
    (select seq from rank_moves where point_system_id = p.id order by seq desc limit 1)
  )`,
  sql`(select seq from rank_cursors where point_system_id = p.id)`,
);

/**
 * Counts the moves of wallets since the last run, so that reading a rank has little to add. It uses
 * one statement for each point system, so a process that stops halfway leaves nothing half done or
 * locked. Several processes may do so at once.
 * @returns whether there is more to count right away
 */
export async function foldWaitingRanks(): Promise<boolean> {
  const { ids, isOver } = await findWaiting();
  let hasMore = !isOver;
  for (const id of ids) {
    if ((await foldRanks(id)) === ENTRIES_MAX) hasMore = true;
  }
  return hasMore;
}

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
