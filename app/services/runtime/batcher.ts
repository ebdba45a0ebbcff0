import { Failure } from "../../domain/failure";
import { metrics } from "../../process/metrics";
import type { BatchOptions } from "./batch-options";
import { createTroubles } from "./troubles";

interface Waiting<Call, Answer> {
  readonly call: Call;
  readonly keys: readonly string[];
  readonly size: number;
  readonly weight: number;
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
  /** The weight of its queue. */
  queued: number;
  batchesRunning: number;
  /** The connection of its last batch. */
  connection: number;
  callsOfNewestBatch: number;
  /** The time until which it waits after a failed batch. */
  pausedUntilMs: number;
  /** Whether it was troubled when its newest batch began: then it is, until that one ends. */
  beganTroubled: boolean;
}

/** A call with less than this part of its time left is not begun any more. */
const LEAST_PART_OF_TIME = 0.15;

/**
 * Creates a function that runs calls in batches. Calls that arrive while a batch is under way go
 * together into the next one. No timer delays a call, so a single call is as fast as without
 * batches. If several batches may be under way, the next one starts as soon as it has as many calls
 * as the one before.
 *
 * Groups take turns. Those whose batches fail or take long have connections apart from the others'. One that took long
 * once stays with the others as long as it leaves them a free connection.
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
    countConnections = () => ({ sound: 1, troubled: 0 }),
    size: getSize = () => 1,
    weight: getWeight = () => 1,
    separate = () => [],
    slowAfterMs = Number.POSITIVE_INFINITY,
    hasWritten = () => true,
    lateError = () => new Failure("service_unavailable"),
  } = options;
  /** The groups that have calls, in the order of their turns. */
  const groups = new Map<string, Group<Call, Answer>>();
  const troubles = createTroubles(slowAfterMs);
  /** The groups with batches under way. */
  const running = new Set<Group<Call, Answer>>();
  let waiting = 0;
  let arrivals = 0;
  let isStarting = false;
  let callsOfLastBatch = 0;

  function takeBatch(group: Group<Call, Answer>): Entry[] {
    const batch: Entry[] = [];
    const later: Entry[] = [];
    const keys = new Set<string>();
    const latestMs = performance.now() + options.deadlineMs * LEAST_PART_OF_TIME;
    let size = 0;
    let next = 0;
    for (; next < group.queue.length; next += 1) {
      const entry = group.queue[next] as Entry;
      if (entry.isSettled || entry.endsAtMs < latestMs) {
        group.queued -= entry.weight;
        continue;
      }
      if (size > 0 && size + entry.size > options.callsMax) break;
      if (entry.keys.some((key) => keys.has(key))) {
        later.push(entry);
        continue;
      }
      for (const key of entry.keys) keys.add(key);
      size += entry.size;
      group.queued -= entry.weight;
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
    waiting -= entry.weight;
    clearTimeout(entry.timer);
    act();
  }

  async function runBatch(group: Group<Call, Answer>, batch: readonly Entry[]): Promise<void> {
    const wasTroubled = isTroubled(group);
    group.beganTroubled = wasTroubled;
    group.batchesRunning += 1;
    running.add(group);
    group.callsOfNewestBatch = batch.length;
    callsOfLastBatch = batch.length;
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
      troubles.noteBatch(group.name, {
        tookMs: performance.now() - startedAtMs,
        isMeasure: hasWritten(calls, answers),
        isAlone: groups.size === 1,
        wasTroubled,
      });
      batch.forEach((entry, i) => {
        settle(entry, () => entry.resolve(answers[i] as Answer));
      });
    } catch (error) {
      const retryAfterMs = options.retryAfterMs?.(error) ?? null;
      troubles.noteFailure(group.name);
      if (retryAfterMs === null) {
        for (const entry of batch) settle(entry, () => entry.reject(error));
      } else {
        for (const entry of batch) {
          entry.isUnderWay = false;
          group.queued += entry.weight;
        }
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

  /** Finds a connection for the group's next batch; null when it has to wait for one. */
  function findConnection(group: Group<Call, Answer>): number | null {
    const { sound, troubled } = countConnections();
    const isUnbounded = sound === Number.POSITIVE_INFINITY;
    const isApart = (other: Group<Call, Answer>) => {
      const depth = troubled === 0 ? 0 : troubles.getDepth(other.name);
      if (depth !== 1) return depth > 1;
      const soundTaken = [...running].filter(({ connection }) => connection < sound).length;
      return soundTaken + 1 >= sound;
    };
    if (group.batchesRunning > 0) {
      if (group.queue.length < group.callsOfNewestBatch) return null;
      const isWaitedFor =
        !isUnbounded &&
        [...groups.values()].some(
          (other) => other.batchesRunning === 0 && isReady(other) && !isApart(other),
        );
      return isWaitedFor ? null : group.connection;
    }
    if (isUnbounded) return group.connection;
    // Thousands of groups may wait, and each asks at the end of each batch.
    if (running.size >= sound + troubled) return null;
    const [first, end] = isApart(group) ? [sound, sound + troubled] : [0, sound];
    const taken = new Set([...running].map(({ connection }) => connection));
    const isFree = (connection: number) =>
      connection >= first && connection < end && !taken.has(connection);
    if (isFree(group.connection)) return group.connection;
    for (let connection = first; connection < end; connection += 1) {
      if (isFree(connection)) return connection;
    }
    return null;
  }

  const isTroubled = (group: Group<Call, Answer>) =>
    troubles.getDepth(group.name) > 0 || (group.batchesRunning > 0 && group.beganTroubled);
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
          if (isTroubled(group)) troubles.noteWait(group.name);
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
      if (isIdle) groups.delete(group.name);
    }
  }

  function getGroup(name: string): Group<Call, Answer> {
    let group = groups.get(name);
    if (!group) {
      group = {
        name,
        queue: [],
        queued: 0,
        batchesRunning: 0,
        connection: 0,
        callsOfNewestBatch: 0,
        pausedUntilMs: 0,
        beganTroubled: false,
      };
      groups.set(name, group);
    }
    return group;
  }

  return (call) =>
    new Promise((resolve, reject) => {
      const group = getGroup(getGroupName(call));
      const weight = getWeight(call);
      if (waiting + weight > options.waitingMax || group.queued + weight > waitingOfGroupMax) {
        return reject(lateError(call, false));
      }
      const timer = setTimeout(() => {
        settle(entry, () => reject(lateError(call, entry.isUnderWay)));
      }, options.deadlineMs);
      arrivals += 1;
      waiting += weight;
      group.queued += weight;
      const entry: Entry = {
        call,
        keys: separate(call),
        size: getSize(call),
        weight,
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
      // calls join it. While calls come one at a time, there is none to wait for.
      const comeAlone = callsOfLastBatch === 1 && running.size === 0;
      (comeAlone ? queueMicrotask : setImmediate)(() => {
        isStarting = false;
        startBatches();
      });
    });
}
