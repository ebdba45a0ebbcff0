import { sql } from "drizzle-orm";
import { inTransaction, withDatabase } from "../../db/client";
import { isLocked } from "../../db/errors";
import { Failure } from "../../domain/failure";
import { lockLedgerInTime, readDatabaseClock } from "../ledger/write-ledger";
import { doOneByOne } from "../runtime/one-by-one";
import { ENTRIES_MAX, foldRanks } from "./rank-counts";

/** Point systems in one run: the job's other turns take what is left. */
const SYSTEMS_MAX = 100;
/** The longest time in which the ranks of one are counted, while the others wait. The fold of ranks has more patience. */
const FOLD_MS_MAX = 1_000;

/**
 * Closes the windows of boards that have ended, and counts what is left to count: their ranks become final although
 * nothing is credited after them. A point system whose ledger is locked is left for a later run, and one that fails stops no
 * other.
 * @returns whether there may be more to do at once
 * @throws {AggregateError} the failures of point systems, after the last one
 */
export async function closeEndedBoards(): Promise<boolean> {
  const due = await withDatabase((db) =>
    db.execute<{ id: string }>(sql`
      -- Materialized, so that a look costs nothing for each point system.
      with ended as materialized (
        select distinct point_system_id as id from board_windows
        where not is_settled and is_ready and ends_at <= now()
      )
      select e.id from ended e
      join point_systems p on p.id = e.id and p.deleted_at is null
      order by random() limit ${SYSTEMS_MAX}`),
  );
  let isMore = false;
  await doOneByOne(
    due,
    ({ id }) => `Closing the ended boards of point system ${id}`,
    async ({ id }) => {
      try {
        await inTransaction(async (tx) => {
          await lockLedgerInTime(tx, id);
          const at = (await readDatabaseClock(tx)).toISOString();
          await tx.execute(sql`select from open_board_windows(${id}::uuid, ${at}::timestamptz)`);
        });
        if ((await foldRanks(id, ENTRIES_MAX, FOLD_MS_MAX)) === ENTRIES_MAX) isMore = true;
      } catch (error) {
        const isDeleted = error instanceof Failure && error.code === "not_found";
        if (!isDeleted && !isLocked(error)) throw error;
      }
    },
  );
  return isMore;
}
