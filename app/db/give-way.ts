import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { getDatabaseOptions, pipelinedQuery } from "./client";

/** The rest after a part of long work, in times of the part. */
const RESTS_A_PART = 3;
const REST_MS_MAX = 1_000;
/** Work this short is not worth a look at who else is there. */
const SHORT_MS = 100;
/** A connection is at work also this long after its statement: the next one is on its way. */
const JUST_NOW_MS = 10;
/** By then the work's own last statement was not just now. */
const LOOK_AFTER_MS = 15;

/** Returns how long work that is in no hurry rests after a part of it: requests have the processors then. */
export function toRestMs(partMs: number): number {
  return Math.min(RESTS_A_PART * partMs, REST_MS_MAX);
}

/**
 * Creates the rests of one long work. Each is for what was done since the last one, while others use the database. Alone,
 * the work does not rest.
 * @returns rests after a part that took `partMs`, until `signal`
 */
export function createRests(): (partMs: number, signal?: AbortSignal) => Promise<void> {
  let workedMs = 0;
  return async (partMs, signal) => {
    workedMs += partMs;
    if (workedMs <= SHORT_MS) return;
    const restMs = toRestMs(workedMs);
    workedMs = 0;
    await sleep(LOOK_AFTER_MS);
    // A database that is too busy to answer has other work.
    const isUsed = await isUsedByOthers(JUST_NOW_MS).catch(() => true);
    if (isUsed) await sleep(restMs - LOOK_AFTER_MS, undefined, { signal }).catch(() => {});
  };
}

/**
 * Yields the parts of long work. After the work on one, a command rests. In a server it does not: what it does there is
 * short, or rests by itself.
 */
export async function* inParts<T>(parts: Iterable<T>): AsyncGenerator<T> {
  const isCommand = getDatabaseOptions().statementTimeoutMs === 0;
  const rest = createRests();
  for (const part of parts) {
    const startedAtMs = performance.now();
    yield part;
    if (isCommand) await rest(performance.now() - startedAtMs);
  }
}

/**
 * Asks whether another connection is at work, or was since the caller's last part ended. Those in a transaction that rests,
 * as a command's own, are not. It has the connection for reads: a command's only other one is in that transaction.
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
