import os from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { waitInTime } from "../domain/deadline";
import { Failure } from "../domain/failure";
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
const endedAtMs = new WeakMap<Pool, number>();

/** After a slow statement, the next one waits for so many times what it took, while another connection is at work. */
const RESTS_A_STATEMENT = 3;
const REST_MS_MAX = 1_000;
/** A connection is at work also this long after its statement: the next one is on its way. */
const JUST_NOW_MS = 10;
const SLOW_WAITING_MAX = 500;

/** The statements of slow point systems on a connection: one after the other, with rests. */
interface SlowLane {
  pending: number;
  /** Ends with the last one. */
  ended: Promise<unknown>;
  restsUntilMs: number;
}

const slowLanes = new WeakMap<Pool, SlowLane>();

function getSlowLane(pool: Pool): SlowLane {
  const lane = slowLanes.get(pool) ?? { pending: 0, ended: Promise.resolve(), restsUntilMs: 0 };
  slowLanes.set(pool, lane);
  return lane;
}

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

/** The connections among which one is chosen. */
interface Lanes {
  readonly pools: readonly Pool[];
  /** Lists the connections of all other work. */
  readonly listOthers: () => readonly Pool[];
}

/**
 * Runs a statement on one of several connections. Point systems whose statements take long share the last one, and others
 * leave it alone meanwhile: on a connection, each statement waits for those before it. They rest while others are at work,
 * which would share the processors with them.
 * @param parameters with the `pointSystemId` that the statement is of; without it, it is of several
 * @throws {Failure} `service_unavailable` when a slow one has no turn within its deadline, and as `run`
 */
export async function runInLane<Parameters, Rows>(
  { pools, listOthers }: Lanes,
  parameters: Parameters,
  run: (pool: Pool, parameters: Parameters) => Promise<Rows>,
): Promise<Rows> {
  const { pointSystemId } = Object(parameters) as { readonly pointSystemId?: string };
  const last = pools.at(-1) as Pool;
  const runOnPool = async (pool: Pool) => {
    const sentAtMs = performance.now();
    try {
      return await run(pool, parameters);
    } finally {
      noteTime(pointSystemId, pool, sentAtMs);
    }
  };
  if (isSlow(pointSystemId)) {
    const isOtherAtWork = () =>
      [...pools, ...listOthers()].some((pool) => pool !== last && isAtWork(pool));
    return takeTurn(getSlowLane(last), last.options.deadlineMs, isOtherAtWork, () =>
      runOnPool(last),
    );
  }
  const isTaken = pools.length > 1 && (slowLanes.get(last)?.pending ?? 0) > 0;
  return runOnPool(choosePool(isTaken ? pools.slice(0, -1) : pools));
}

const isAtWork = ({ pending, lastSettledAtMs }: Pool) =>
  pending > 0 || performance.now() - lastSettledAtMs < JUST_NOW_MS;

/** Runs a slow statement after those before it and a rest. Without a deadline (0), it waits as long as that takes. */
async function takeTurn<Rows>(
  lane: SlowLane,
  deadlineMs: number,
  isOtherAtWork: () => boolean,
  run: () => Promise<Rows>,
): Promise<Rows> {
  const createLateError = () => new Failure("service_unavailable");
  if (lane.pending >= SLOW_WAITING_MAX) throw createLateError();
  const endsAtMs = deadlineMs === 0 ? Number.POSITIVE_INFINITY : performance.now() + deadlineMs;
  const inTurn = async () => {
    const restMs = lane.restsUntilMs - performance.now();
    if (restMs > 0) await sleep(restMs);
    const startedAtMs = performance.now();
    if (startedAtMs >= endsAtMs) throw createLateError();
    try {
      return await run();
    } finally {
      const nowMs = performance.now();
      const dueMs = isOtherAtWork() ? RESTS_A_STATEMENT * (nowMs - startedAtMs) : 0;
      lane.restsUntilMs = nowMs + Math.min(dueMs, REST_MS_MAX);
    }
  };
  lane.pending += 1;
  const ended = lane.ended.then(inTurn).finally(() => {
    lane.pending -= 1;
  });
  lane.ended = ended.catch(() => {});
  return deadlineMs === 0 ? ended : waitInTime(ended, deadlineMs, createLateError);
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
