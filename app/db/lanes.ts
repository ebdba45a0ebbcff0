import os from "node:os";
import { LRUCache } from "lru-cache";
import type { Pool } from "./pool";

/** While a connection works on a statement for longer than this, others take the next ones. */
const SLOW_AFTER_MS = 20;
/** The most statements that a connection has under way while another one and a core are idle. */
const STATEMENTS_A_CONNECTION = 24;

const CORES = os.availableParallelism();

/** A point system is slow when its statements take so long on average, and so many times as long as those of others. */
const SLOW_MS = 10;
const SLOW_TIMES_TYPICAL = 8;
/**
 * The part of the newest statement in an average. A machine that stalls counts for both: what it adds to the average of a
 * point system is five times what it adds to that of all.
 */
const NEWEST_PART = 0.1;
const NEWEST_PART_OF_ALL = 0.02;
/** One statement that waited for seconds must not make others seem quick. */
const COUNTED_MS_MAX = 50;
const REMEMBERED_MAX = 5_000;

/** The average time of the statements of each point system. */
const averagesMs = new LRUCache<string, number>({ max: REMEMBERED_MAX });
/** The average time of those that are of no slow point system. */
let typicalMs = 0;
/** The statements of slow point systems that a connection has under way. */
const slowPending = new WeakMap<Pool, number>();
const endedAtMs = new WeakMap<Pool, number>();

function isSlow(pointSystemId: string | undefined): boolean {
  const averageMs = pointSystemId === undefined ? 0 : (averagesMs.get(pointSystemId) ?? 0);
  return averageMs >= Math.max(SLOW_MS, SLOW_TIMES_TYPICAL * typicalMs);
}

/** Notes the time of a statement, from the end of the one before it: a connection takes one after the other. */
function noteTime(pointSystemId: string | undefined, pool: Pool, sentAtMs: number): void {
  const nowMs = performance.now();
  const tookMs = nowMs - Math.max(sentAtMs, endedAtMs.get(pool) ?? 0);
  endedAtMs.set(pool, nowMs);
  if (pointSystemId !== undefined) {
    const averageMs = averagesMs.get(pointSystemId) ?? 0;
    averagesMs.set(pointSystemId, averageMs + NEWEST_PART * (tookMs - averageMs));
  }
  if (isSlow(pointSystemId)) return;
  typicalMs += NEWEST_PART_OF_ALL * (Math.min(tookMs, COUNTED_MS_MAX) - typicalMs);
}

/**
 * Runs a statement on one of several connections. Point systems whose statements take long share the last one, and others
 * leave it alone meanwhile: on a connection, each statement waits for those before it.
 * @param parameters with the `pointSystemId` that the statement is of; without it, it is of several
 */
export async function runInLane<Parameters, Rows>(
  pools: readonly Pool[],
  parameters: Parameters,
  run: (pool: Pool, parameters: Parameters) => Promise<Rows>,
): Promise<Rows> {
  const { pointSystemId } = Object(parameters) as { readonly pointSystemId?: string };
  const last = pools.at(-1) as Pool;
  const isApart = isSlow(pointSystemId);
  const isTaken = pools.length > 1 && (slowPending.get(last) ?? 0) > 0;
  const pool = isApart ? last : choosePool(isTaken ? pools.slice(0, -1) : pools);
  const addSlow = (count: number) => slowPending.set(last, (slowPending.get(last) ?? 0) + count);
  if (isApart) addSlow(1);
  const sentAtMs = performance.now();
  try {
    return await run(pool, parameters);
  } finally {
    if (isApart) addSlow(-1);
    noteTime(pointSystemId, pool, sentAtMs);
  }
}

/** Chooses the first connection that is not held up, or else the one with the least under way. */
function choosePool(pools: readonly Pool[]): Pool {
  const isFree = (pool: Pool) =>
    pool.pending === 0 ||
    (performance.now() - pool.lastSettledAtMs < SLOW_AFTER_MS &&
      (pool.pending < STATEMENTS_A_CONNECTION || CORES <= 2));
  const [first, ...others] = pools as [Pool, ...Pool[]];
  return [first, ...others].find(isFree) ?? others.reduce(lessPending, first);
}

const lessPending = (a: Pool, b: Pool) => (b.pending < a.pending ? b : a);
