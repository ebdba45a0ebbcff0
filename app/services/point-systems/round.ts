import { type SQL, sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";

/** Point systems that a step checks, and those that it returns. */
const LOOKED_AT_MAX = 500;
const ANSWERED_MAX = 50;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/** The next point systems with entries to count. */
interface RoundStep {
  readonly ids: readonly string[];
  /** Whether these were the last ones, so that the next step starts again from the first. */
  readonly isOver: boolean;
}

/**
 * Creates a function that finds the point systems whose ledger has entries that are not counted
 * yet, some at a time. Each process has its own round.
 * @param newestSeq the `seq` of the newest entry of the point system `p.id`
 * @param countedSeq the `seq` of its last counted entry; null for a point system that is not
 *   counted
 */
export function createRound(newestSeq: SQL, countedSeq: SQL): () => Promise<RoundStep> {
  let afterId = FIRST_ID;
  return async () => {
    const found = await withDatabase((db) =>
      db.execute<{ id: string; isWaiting: boolean | null }>(sql`
        select p.id, ${newestSeq} > ${countedSeq} as "isWaiting" from (
          select id from point_systems where id > ${afterId}::uuid and deleted_at is null
          order by id limit ${LOOKED_AT_MAX}
        ) p order by p.id`),
    );
    const waiting = found.filter(({ isWaiting }) => isWaiting).slice(0, ANSWERED_MAX);
    const isFull = waiting.length === ANSWERED_MAX;
    const isOver = !isFull && found.length < LOOKED_AT_MAX;
    afterId = (!isOver && (isFull ? waiting : found).at(-1)?.id) || FIRST_ID;
    return { ids: waiting.map(({ id }) => id), isOver };
  };
}
