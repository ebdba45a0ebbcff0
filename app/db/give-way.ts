import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { getDatabaseOptions, pipelinedQuery } from "./client";

/** The rest after a part of long work, in times of the part. */
const RESTS_A_PART = 2;
const REST_MS_MAX = 1_000;
/** Work this short leaves the processors to others anyway. */
const SHORT_MS = 20;
/** A connection is at work also this long after its statement: the next one is on its way. */
const JUST_NOW_MS = 50;

/** Returns how long work that is in no hurry rests after a part of it: requests have the processors then. */
export function toRestMs(partMs: number): number {
  return Math.min(RESTS_A_PART * partMs, REST_MS_MAX);
}

/**
 * Yields the parts of long work. After the work on one, a command rests while others use the database. In a server it does
 * not rest: what it does there is short, or rests by itself.
 */
export async function* inParts<T>(parts: Iterable<T>): AsyncGenerator<T> {
  const isCommand = getDatabaseOptions().statementTimeoutMs === 0;
  for (const part of parts) {
    const startedAtMs = performance.now();
    yield part;
    const partMs = performance.now() - startedAtMs;
    if (isCommand && partMs > SHORT_MS && (await isUsedByOthers(JUST_NOW_MS)))
      await sleep(toRestMs(partMs));
  }
}

/**
 * Asks whether another connection is at work now. Those in a transaction that rests, as this command's own, are not. It has
 * the connection for reads: a command's only other one is in that transaction.
 */
const isUsedByOthers = pipelinedQuery("reads", (db) => ({
  execute: async (withinMs: number) => {
    const [row] = await db.execute<{ isUsed: boolean }>(sql`
      select exists (
        select from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
          and (
            -- A session that waits for a lock may wait for this command.
            state = 'active' and wait_event_type is distinct from 'Lock'
            or state = 'idle' and state_change > clock_timestamp() - ${withinMs}::int * interval '1 ms'
          )
      ) as "isUsed"`);
    return row?.isUsed ?? false;
  },
}));
