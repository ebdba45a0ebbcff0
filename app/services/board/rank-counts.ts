import { sql } from "drizzle-orm";
import { readForAll } from "../../db/citus/shard-query";
import { inTransaction, withDatabase, withOwnConnection } from "../../db/client";
import { createFold, foldInTime } from "../point-systems/fold";
import { enqueueAbandonedJobs } from "../runtime/job-queue";
import { doOneByOne } from "../runtime/one-by-one";

/** Entries in one statement, so that it stays well within its deadline. */
export const ENTRIES_MAX = 5_000;
/** Boards that a run of the job builds the counts of. */
const BOARDS_A_RUN = 5;

/**
 * Counts the moves of wallets and the credits since the last run, so that reading a rank or a total has little to add. It uses
 * one statement for each point system, so a process that stops halfway leaves nothing half done or
 * locked. Several processes may do so at once.
 */
export const ranksFold = createFold({
  name: "ranks",
  hasTail: sql`(greatest(t.event_seq, t.move_seq) > t.ranks_seq or t.event_seq > t.totals_seq)`,
  listTail: (entriesMax) => sql`
    select from rank_tail(t.id, t.ranks_seq, ${entriesMax}) limit ${entriesMax}`,
  entriesMax: () => ENTRIES_MAX,
  fold: foldRanks,
  repair: (pointSystemId) =>
    inTransaction((tx) =>
      enqueueAbandonedJobs(
        tx,
        "rebuild-ranks",
        sql`select ${pointSystemId}::text, json_build_object('pointSystemId', ${pointSystemId}::text)`,
      ),
    ),
});

/**
 * Counts the next moves of a point system's wallets, on each of its boards, and the next events for its totals.
 * @returns the most moves of one board or events, or `entriesMax` when there may be more; 0 also when another process counts
 *   them, or the counts are not built yet
 */
export async function foldRanks(
  pointSystemId: string,
  entriesMax: number = ENTRIES_MAX,
  timeMaxMs?: number,
): Promise<number> {
  const [row] = await foldInTime(timeMaxMs, (tx) =>
    tx.execute<{ entries: number }>(
      // The all-time board comes last: its tail calls the worker back when this ends halfway.
      sql`
        select greatest((
          select max(fold_ranks(w.id, ${entriesMax}::int)) from board_windows w
          where w.point_system_id = ${pointSystemId} and not w.is_settled
        ), fold_totals(${pointSystemId}::uuid, ${entriesMax}::int), fold_ranks(${pointSystemId}::uuid, ${entriesMax}::int)) as entries`,
    ),
  );
  return row?.entries ?? 0;
}

/**
 * Builds the counts of boards that have none yet: of a point system that is older than the ranks, or of a window whose
 * filling was cut off. Until then a board's ranks are found by counting the wallets ahead.
 * @param signal no board is begun after it
 * @returns whether there may be more such boards
 */
export async function buildMissingRanks(signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return false;
  const missing = await withDatabase((db) =>
    readForAll<{ id: string }>(
      db,
      sql`
      select b.id from (
        select p.id from point_systems p where p.deleted_at is null
        union all
        select w.id from board_windows w
        join point_systems p on p.id = w.point_system_id and p.deleted_at is null
        join boards o on o.point_system_id = w.point_system_id and o.id = w.board_id
        where w.is_ready
      ) b
      left join rank_cursors c on c.point_system_id = b.id
      where c.point_system_id is null
      order by random() limit ${BOARDS_A_RUN}`,
    ),
  );
  let built = 0;
  await doOneByOne(
    missing,
    ({ id }) => `The ranks of board ${id}`,
    async ({ id }) => {
      if (!signal?.aborted && (await rebuildRanks(id))) built += 1;
    },
  );
  return built >= BOARDS_A_RUN;
}

/**
 * Rebuilds a board's counts while other work continues: readers use the old counts until the
 * new ones are complete.
 * @param boardId a point system's id for its all-time board, or the id of another board's window
 * @returns false when another process rebuilds them, or no such board exists
 */
export async function rebuildRanks(boardId: string): Promise<boolean> {
  const [row] = await withOwnConnection((db) =>
    db.execute<{ isDone: boolean }>(sql`select rebuild_ranks(${boardId}::uuid) as "isDone"`),
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
