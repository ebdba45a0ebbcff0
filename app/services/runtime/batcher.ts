import { Failure } from "../../domain/failure";
import { metrics } from "../../process/metrics";

/** The place and the time of a batch. */
interface BatchTerms {
  /** The connection that the batch has, from 0 on: one of another group never waits for it. */
  readonly connection: number;
  /** The time by `performance.now()` at which the first of its callers no longer waits. */
  readonly endsAtMs: number;
}

export interface BatchOptions<Call, Answer> {
  /** The name in metrics; without one there are none. */
  name?: string;
  /** Answers every call of a batch, in order, or rejects for all of them. */
  run: (calls: readonly Call[], terms: BatchTerms) => Promise<readonly Answer[]>;
  /**
   * Begins work for a call that has to wait until a batch of its group ends. The call's batch may start before that work
   * ends. The promise never rejects.
   */
  prepare?: (call: Call) => Promise<void>;
  callsMax: number;
  /** The most batches of a group under way at once; 1 when left out. */
  batchesMax?: number;
  /** The most calls that may wait; further calls are rejected at once. */
  waitingMax: number;
  /** The most calls of a group that may wait; `waitingMax` when left out. */
  waitingOfGroupMax?: number;
  /** The time from a call's arrival to its answer. */
  deadlineMs: number;
  /**
   * Returns the group of a call. A batch holds calls of one group, in the order of their arrival, and groups do not
   * wait for each other while there are free connections. All calls are of one group when left out.
   */
  group?: (call: Call) => string;
  /**
   * Returns the number of groups that may have batches under way at once; 1 when left out, `Infinity` where they need no
   * connections of their own.
   */
  countConnections?: () => number;
  /** Returns how much of `callsMax` a call takes; 1 when left out. A larger call goes alone. */
  size?: (call: Call) => number;
  /**
   * Returns a call's keys. Two calls with a key in common never share a batch, so that the later one
   * sees the effect of the first, as long as `run` keeps the order of batches that are under way at
   * once.
   */
  separate?: (call: Call) => readonly string[];
  /**
   * The time from which on a batch may take long: its group is in trouble as after a failure when the quickest ones take a
   * quarter of it or less. Where all are slow, as on a slow disk, none is in trouble. Unbounded when left out.
   */
  slowAfterMs?: number;
  /** Returns the time after which the calls of a failed batch are run again; null to reject them. */
  retryAfterMs?: (error: unknown) => number | null;
  /**
   * Makes the error of a call that is rejected for want of room or time.
   * @param isUnderWay whether the call's batch has begun and not ended
   */
  lateError?: (call: Call, isUnderWay: boolean) => Error;
}

interface Waiting<Call, Answer> {
  readonly call: Call;
  readonly keys: readonly string[];
  readonly size: number;
  /** Ascends with the arrival. */
  readonly place: number;
  readonly endsAtMs: number;
  isUnderWay: boolean;
  isSettled: boolean;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

interface Group<Call, Answer> {
  readonly name: string;
  queue: Waiting<Call, Answer>[];
  batchesRunning: number;
  /** The connection of its last batch. */
  connection: number;
  callsOfNewestBatch: number;
  /** The times until which it waits after a failed batch, and until which it counts as troubled after that or a slow one. */
  pausedUntilMs: number;
  troubledUntilMs: number;
  /** Whether it was troubled when its newest batch began: then it is, until that one ends. */
  beganTroubled: boolean;
}

/** A call with less than this part of its time left is not begun any more. */
const LEAST_PART_OF_TIME = 0.15;
/** The time for which a group counts as troubled after a batch that failed or took long. */
const TROUBLED_MS = 2_000;
/** How many times longer than the quickest batches those take that take long. */
const SLOWER_THAN_QUICKEST = 4;
/** By how much the time of the quickest batches grows with each batch, so that it follows a change. */
const QUICKEST_GROWS_BY = 1.05;

/**
 * Creates a function that runs calls in batches. Calls that arrive while a batch is under way go
 * together into the next one. No timer delays a call, so a single call is as fast as without
 * batches. If several batches may be under way, the next one starts as soon as it has as many calls
 * as the one before.
 *
 * Groups take turns. One whose batches fail or take long has at most half of the connections, together
 * with the others in trouble.
 * @throws {Failure} `service_unavailable`, from the returned function, over a bound or the deadline
 */
export function createBatcher<Call, Answer>(
  options: BatchOptions<Call, Answer>,
): (call: Call) => Promise<Answer> {
  type Entry = Waiting<Call, Answer>;
  const {
    batchesMax = 1,
    waitingOfGroupMax = options.waitingMax,
    group: getGroupName = () => "",
    countConnections = () => 1,
    size: getSize = () => 1,
    separate = () => [],
    slowAfterMs = Number.POSITIVE_INFINITY,
    lateError = () => new Failure("service_unavailable"),
  } = options;
  /** The groups that have calls, in the order of their turns. */
  const groups = new Map<string, Group<Call, Answer>>();
  /** The groups with batches under way. */
  const running = new Set<Group<Call, Answer>>();
  let waiting = 0;
  let arrivals = 0;
  let quickestMs = Number.POSITIVE_INFINITY;
  let isStarting = false;

  function takeBatch(group: Group<Call, Answer>): Entry[] {
    const batch: Entry[] = [];
    const later: Entry[] = [];
    const keys = new Set<string>();
    const latestMs = performance.now() + options.deadlineMs * LEAST_PART_OF_TIME;
    let size = 0;
    let next = 0;
    for (; next < group.queue.length; next += 1) {
      const entry = group.queue[next] as Entry;
      if (entry.isSettled || entry.endsAtMs < latestMs) continue;
      if (size > 0 && size + entry.size > options.callsMax) break;
      if (entry.keys.some((key) => keys.has(key))) {
        later.push(entry);
        continue;
      }
      for (const key of entry.keys) keys.add(key);
      size += entry.size;
      batch.push(entry);
      if (size >= options.callsMax) {
        next += 1;
        break;
      }
    }
    group.queue = later.concat(group.queue.slice(next));
    return batch;
  }

  function settle(entry: Entry, act: () => void): void {
    if (entry.isSettled) return;
    entry.isSettled = true;
    waiting -= 1;
    clearTimeout(entry.timer);
    act();
  }

  async function runBatch(group: Group<Call, Answer>, batch: readonly Entry[]): Promise<void> {
    group.beganTroubled = isTroubled(group);
    group.batchesRunning += 1;
    running.add(group);
    group.callsOfNewestBatch = batch.length;
    for (const entry of batch) entry.isUnderWay = true;
    const { connection } = group;
    const endsAtMs = Math.min(...batch.map((entry) => entry.endsAtMs));
    const startedAtMs = performance.now();
    if (options.name !== undefined) {
      const labels = { batcher: options.name };
      metrics.batchCalls.observe(labels, batch.length);
      metrics.batchWait.observe(labels, (startedAtMs + options.deadlineMs - endsAtMs) / 1_000);
      metrics.batchWaiting.set(labels, waiting);
    }
    try {
      const calls = batch.map((entry) => entry.call);
      const answers = await options.run(calls, { connection, endsAtMs });
      group.troubledUntilMs = tookLong(performance.now() - startedAtMs)
        ? performance.now() + TROUBLED_MS
        : 0;
      batch.forEach((entry, i) => {
        settle(entry, () => entry.resolve(answers[i] as Answer));
      });
    } catch (error) {
      const retryAfterMs = options.retryAfterMs?.(error) ?? null;
      group.troubledUntilMs = performance.now() + TROUBLED_MS;
      if (retryAfterMs === null) {
        for (const entry of batch) settle(entry, () => entry.reject(error));
      } else {
        for (const entry of batch) entry.isUnderWay = false;
        group.pausedUntilMs = performance.now() + retryAfterMs;
        group.queue = [...batch, ...group.queue].sort((a, b) => a.place - b.place);
        setTimeout(startBatches, retryAfterMs + 1);
      }
    }
    group.batchesRunning -= 1;
    if (group.batchesRunning === 0) running.delete(group);
    if (options.name !== undefined) metrics.batchWaiting.set({ batcher: options.name }, waiting);
    startBatches();
  }

  function tookLong(tookMs: number): boolean {
    quickestMs = Math.min(tookMs, quickestMs * QUICKEST_GROWS_BY);
    // Nobody else wants a connection of the only group.
    return groups.size > 1 && tookMs >= Math.max(slowAfterMs, SLOWER_THAN_QUICKEST * quickestMs);
  }

  /** Finds a connection for the group's next batch; null when it has to wait for one. */
  function findConnection(group: Group<Call, Answer>): number | null {
    const count = countConnections();
    const isUnbounded = count === Number.POSITIVE_INFINITY;
    if (group.batchesRunning > 0) {
      if (group.queue.length < group.callsOfNewestBatch) return null;
      const isWaitedFor =
        !isUnbounded &&
        [...groups.values()].some((other) => other.batchesRunning === 0 && isReady(other));
      return isWaitedFor ? null : group.connection;
    }
    if (isUnbounded) return group.connection;
    const troubledMax = Math.max(1, Math.floor(count / 2));
    if (isTroubled(group) && [...running].filter(isTroubled).length >= troubledMax) return null;
    const taken = new Set([...running].map(({ connection }) => connection));
    if (!taken.has(group.connection)) return group.connection;
    for (let connection = 0; connection < count; connection += 1) {
      if (!taken.has(connection)) return connection;
    }
    return null;
  }

  const isTroubled = (group: Group<Call, Answer>) =>
    performance.now() < group.troubledUntilMs || (group.batchesRunning > 0 && group.beganTroubled);
  const isReady = (group: Group<Call, Answer>) =>
    group.queue.length > 0 && performance.now() >= group.pausedUntilMs;

  function startBatches(): void {
    for (const group of [...groups.values()]) {
      // A second batch would wait behind one that fails, perhaps until its callers no longer wait.
      const most = isTroubled(group) ? 1 : batchesMax;
      while (group.batchesRunning < most && isReady(group)) {
        const connection = findConnection(group);
        if (connection === null) {
          // Its trouble does not pass while it waits for its turn: otherwise many that fail would soon have all connections.
          if (isTroubled(group)) group.troubledUntilMs = performance.now() + TROUBLED_MS;
          break;
        }
        const batch = takeBatch(group);
        if (batch.length === 0) break;
        group.connection = connection;
        // The others have their turn before its next one.
        groups.delete(group.name);
        groups.set(group.name, group);
        void runBatch(group, batch);
      }
      const isIdle = group.batchesRunning === 0 && group.queue.length === 0;
      if (isIdle && !isTroubled(group)) groups.delete(group.name);
    }
  }

  function getGroup(name: string): Group<Call, Answer> {
    let group = groups.get(name);
    if (!group) {
      group = {
        name,
        queue: [],
        batchesRunning: 0,
        connection: 0,
        callsOfNewestBatch: 0,
        pausedUntilMs: 0,
        troubledUntilMs: 0,
        beganTroubled: false,
      };
      groups.set(name, group);
    }
    return group;
  }

  return (call) =>
    new Promise((resolve, reject) => {
      const group = getGroup(getGroupName(call));
      if (waiting >= options.waitingMax || group.queue.length >= waitingOfGroupMax) {
        return reject(lateError(call, false));
      }
      const timer = setTimeout(() => {
        settle(entry, () => reject(lateError(call, entry.isUnderWay)));
      }, options.deadlineMs);
      arrivals += 1;
      waiting += 1;
      const entry: Entry = {
        call,
        keys: separate(call),
        size: getSize(call),
        place: arrivals,
        endsAtMs: performance.now() + options.deadlineMs,
        isUnderWay: false,
        isSettled: false,
        timer,
        resolve,
        reject,
      };
      group.queue.push(entry);
      const hasToWait = group.batchesRunning === batchesMax;
      if (hasToWait) void options.prepare?.(call);
      if (isStarting || hasToWait) return;
      isStarting = true;
      // The batch starts after the event loop has read every socket that is ready, so that their
      // calls join it.
      setImmediate(() => {
        isStarting = false;
        startBatches();
      });
    });
}
