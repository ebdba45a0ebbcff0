import { sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { Failure } from "../../domain/failure";
import { readDatabaseClock, writeLedger } from "../ledger/write-ledger";
import { foldRanks } from "./rank-counts";

/** Point systems in one run: the job's other turns take what is left. */
const SYSTEMS_MAX = 100;

/**
 * Closes the windows of boards that have ended, and counts what is left to count: their ranks become final although
 * nothing is credited after them. A point system that cannot be written now is left for the next run.
 * @param report takes the error of one point system. The others go on
 * @returns whether there may be more to do at once
 */
export async function closeEndedBoards(report: (error: unknown) => void): Promise<boolean> {
  const due = await withDatabase((db) =>
    db.execute<{ id: string }>(sql`
      -- Materialized, so that a look costs nothing for each point system.
      with ended as materialized (
        select distinct point_system_id as id from board_windows
        where not is_settled and is_ready and ends_at <= now()
      )
      select e.id from ended e
      join point_systems p on p.id = e.id and p.deleted_at is null limit ${SYSTEMS_MAX}`),
  );
  let isMore = false;
  for (const { id } of due) {
    try {
      await writeLedger(id, async (tx) => {
        const at = (await readDatabaseClock(tx)).toISOString();
        await tx.execute(sql`select from open_board_windows(${id}::uuid, ${at}::timestamptz)`);
      });
      if ((await foldRanks(id)) > 0) isMore = true;
    } catch (error) {
      if (!(error instanceof Failure && error.code === "not_found")) report(error);
    }
  }
  return isMore;
}
