import { sql } from "drizzle-orm";
import { withDatabase, withOwnConnection } from "../../db/client";

/** Entries a statement: well within its deadline. */
const ENTRIES_MAX = 5_000;
/** Point systems that a run looks after. */
const POINT_SYSTEMS_MAX = 50;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/** Where the next run goes on; each process goes round by itself. */
let afterId = FIRST_ID;

/**
 * Counts what has moved wallets since the last run, so that reading a rank has little to add. A
 * statement a point system: a process that stops halfway has done nothing, and holds nothing. Any
 * number of processes may do so at once.
 * @returns whether there is more to count right away
 */
export async function foldWaitingRanks(): Promise<boolean> {
  const waiting = await withDatabase((db) =>
    db.execute<{ id: string }>(sql`
      select c.point_system_id as id from rank_cursors c
      where c.point_system_id > ${afterId}::uuid and (
        exists (
          select from point_events e where e.point_system_id = c.point_system_id and e.seq > c.seq
        ) or exists (
          select from rank_moves m where m.point_system_id = c.point_system_id and m.seq > c.seq
        )
      )
      order by c.point_system_id limit ${POINT_SYSTEMS_MAX}`),
  );
  const isRoundOver = waiting.length < POINT_SYSTEMS_MAX;
  afterId = isRoundOver ? FIRST_ID : (waiting.at(-1)?.id ?? FIRST_ID);
  let hasMore = !isRoundOver;
  for (const { id } of waiting) {
    if ((await foldRanks(id)) === ENTRIES_MAX) hasMore = true;
  }
  return hasMore;
}

/**
 * Counts the next moves of a point system's wallets.
 * @returns how many there were; 0 also when somebody else is at it, or the counts are not made yet
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
 * Makes the counts of a point system that has none yet: one from before there were ranks. Until
 * then its wallets ahead are counted.
 * @returns whether there may be another one
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
 * Makes a point system's counts anew while everybody goes on: readers have the old ones until the
 * new ones are there.
 * @returns false when somebody else is at it, or there is no such point system
 */
export async function rebuildRanks(pointSystemId: string): Promise<boolean> {
  const [row] = await withOwnConnection((db) =>
    db.execute<{ isDone: boolean }>(sql`select rebuild_ranks(${pointSystemId}::uuid) as "isDone"`),
  );
  return row?.isDone ?? false;
}

/** The ids of all point systems that have a board. */
export async function listRankedPointSystems(): Promise<string[]> {
  const rows = await withDatabase((db) =>
    db.execute<{ id: string }>(
      sql`select id from point_systems where deleted_at is null order by id`,
    ),
  );
  return rows.map(({ id }) => id);
}
