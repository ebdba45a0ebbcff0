import { AsyncLocalStorage } from "node:async_hooks";
import { LRUCache } from "lru-cache";
import { waitInTime } from "../domain/deadline";
import { Failure } from "../domain/failure";
import { processState } from "../process/state";
import {
  compileOn,
  getDatabaseOptions,
  hotQuery,
  listPrimaryPools,
  pipelinedQuery,
} from "./client";
import { isDatabaseUnavailable, isRetryable, isTimedOut } from "./errors";
import { runInLane } from "./lanes";
import type { Database } from "./pool";
import { chooseReplica, hasReplicas, leaveOut, type Replica } from "./replicas";

/** Callers and wallets whose last write is known. */
const MARKS_MAX = 50_000;

const state = processState("replicated reads", () => {
  /** The newest mark that was dropped for want of room: it counts for everybody. */
  const dropped = { at: Number.NEGATIVE_INFINITY };
  /** The times by `performance.now()` of the last writes, by caller and by wallet. */
  const marks = new LRUCache<string, number>({
    max: MARKS_MAX,
    dispose: (at, _, reason) => {
      if (reason === "evict") dropped.at = Math.max(dropped.at, at);
    },
  });
  /** The replica that answers the call under way; null once it has failed. */
  const reading = new AsyncLocalStorage<{ replica: Replica | null }>();
  return { dropped, marks, reading };
});

/** Notes that these callers or wallets have just written: only a replica that has the write answers them. */
export function markWritten(...names: readonly string[]): void {
  if (!hasReplicas()) return;
  const at = performance.now();
  for (const name of names) state.marks.set(name, at);
}

/** Names a wallet of a point system for its mark. */
export const nameWallet = (pointSystemId: string, address: string) =>
  `${pointSystemId} ${address}`.toLowerCase();

/**
 * Runs a call that only reads. Its replicated queries are answered by one replica that has the writes of `names`,
 * or by the primary. A failure, such as a wallet that is not found or a board that is being counted, is only the
 * primary's to tell: the replica may be behind. A limit that is reached is final.
 * @param question calls with the same one ask the same replica, so that their numbers do not go back
 */
export async function readNearby<T>(
  question: string,
  names: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  const times = names.map((name) => state.marks.get(name) ?? Number.NEGATIVE_INFINITY);
  const replica = chooseReplica(question, Math.max(state.dropped.at, ...times));
  if (!replica) return work();
  try {
    return await state.reading.run({ replica }, work);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.code === "service_unavailable" && !error.details.isOfData) throw error;
    return work();
  }
}

/**
 * Creates a query that reads only, for `readNearby`; outside it, it is a `hotQuery` or a `pipelinedQuery`. A read
 * that fails on a replica is repeated on the primary, within the deadline.
 * @param pool `reads` for statements that are always short
 */
export function replicatedQuery<Parameters, Rows>(
  pool: "shared" | "reads",
  build: (db: Database) => { execute(parameters: Parameters): Promise<Rows> },
): (parameters: Parameters) => Promise<Rows> {
  const askPrimary = pool === "reads" ? pipelinedQuery("reads", build) : hotQuery(build);
  const run = compileOn(build);
  return async (parameters) => {
    const reading = state.reading.getStore();
    const replica = reading?.replica;
    if (!replica) return askPrimary(parameters);
    const { pools } = replica;
    const endsAt = performance.now() + getDatabaseOptions().deadlineMs;
    try {
      if (pool === "shared") return await run(pools.shared, parameters);
      return await runInLane({ pools: pools.reads, listOthers: listPrimaryPools }, parameters, run);
    } catch (error) {
      reading.replica = null;
      // A statement that was cancelled, for a conflict with recovery too, says nothing about others.
      const isOfStatement = isTimedOut(error) || isRetryable(error);
      if (isDatabaseUnavailable(error) && !isOfStatement && replica.pools === pools) {
        leaveOut(replica);
      }
      const isLate = () => new Failure("service_unavailable", { cause: error });
      return waitInTime(askPrimary(parameters), endsAt - performance.now(), isLate);
    }
  };
}
