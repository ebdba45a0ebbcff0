import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { getDatabaseOptions, pipelinedQuery } from "./client";

/** The rest after some work, in times of the work. */
const RESTS_A_WORK = 4;
/** Commands also wait for locks, which is no work. */
const COMMAND_REST_MS_MAX = 5_000;
/** The jobs of others wait for those that rest. */
export const JOB_REST_MS_MAX = 1_000;
/** Work this short is not worth a look at who else is there. */
const SHORT_MS = 100;
/** A connection is at work also this long after its statement: the next one is on its way. */
const JUST_NOW_MS = 10;
/** By then the work's own last statement was not just now. */
const LOOK_AFTER_MS = 15;

/**
 * Creates the rests of one long work, which begins now. Each is for all that was done since the last one, while others use
 * the database. Alone, the work does not rest.
 * @param restMsMax the longest rest
 * @returns rests, at most until `signal`
 */
export function createRests(restMsMax: number): (signal?: AbortSignal) => Promise<void> {
  let restedAtMs = performance.now();
  return async (signal) => {
    const workedMs = performance.now() - restedAtMs;
    if (workedMs <= SHORT_MS) return;
    await sleep(LOOK_AFTER_MS);
    // A database that is too busy to answer has other work.
    const isUsed = await isUsedByOthers(JUST_NOW_MS).catch(() => true);
    const restMs = Math.min(RESTS_A_WORK * workedMs, restMsMax);
    if (isUsed) await sleep(restMs - LOOK_AFTER_MS, undefined, { signal }).catch(() => {});
    restedAtMs = performance.now();
  };
}

/** A command is one long work, from its start. */
const restOfCommand = createRests(COMMAND_REST_MS_MAX);

/** Lets a command rest. In a server it does nothing: what it does there is short, or rests by itself. */
export async function giveWay(): Promise<void> {
  if (getDatabaseOptions().statementTimeoutMs === 0) await restOfCommand();
}

/** Yields the parts of long work. After the work on one, a command rests. */
export async function* inParts<T>(parts: Iterable<T>): AsyncGenerator<T> {
  for (const part of parts) {
    yield part;
    await giveWay();
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
