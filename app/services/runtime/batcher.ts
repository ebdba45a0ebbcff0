import { Failure } from "../../domain/failure";

export interface BatchOptions<Call, Answer> {
  /** Answers every call of a batch, in order, or rejects for all of them. */
  run: (calls: readonly Call[]) => Promise<readonly Answer[]>;
  callsMax: number;
  /** The most batches under way at once; 1 when left out. */
  batchesMax?: number;
  /** The most calls that may wait; further calls are rejected at once. */
  waitingMax: number;
  /** The time from a call's arrival to its answer. */
  deadlineMs: number;
  /**
   * Returns a call's key. Two calls with the same key never share a batch, so that the later one
   * sees the effect of the first, as long as `run` keeps the order of batches that are under way at
   * once.
   */
  separate?: (call: Call) => string | null;
}

interface Waiting<Call, Answer> {
  readonly call: Call;
  readonly key: string | null;
  isSettled: boolean;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Creates a function that runs calls in batches. Calls that arrive while a batch is under way go
 * together into the next one. No timer delays a call, so a single call is as fast as without
 * batches. If several batches may be under way, the next one starts as soon as it has as many calls
 * as the one before.
 * @throws {Failure} `service_unavailable`, from the returned function, over a bound or the deadline
 */
export function createBatcher<Call, Answer>(
  options: BatchOptions<Call, Answer>,
): (call: Call) => Promise<Answer> {
  type Entry = Waiting<Call, Answer>;
  const batchesMax = options.batchesMax ?? 1;
  let queue: Entry[] = [];
  let isStarting = false;
  let batchesRunning = 0;
  let callsOfNewestBatch = 0;

  function takeBatch(): Entry[] {
    const batch: Entry[] = [];
    const later: Entry[] = [];
    const keys = new Set<string>();
    let next = 0;
    for (; next < queue.length && batch.length < options.callsMax; next += 1) {
      const entry = queue[next] as Entry;
      if (entry.isSettled) continue;
      if (entry.key !== null && keys.has(entry.key)) {
        later.push(entry);
        continue;
      }
      if (entry.key !== null) keys.add(entry.key);
      batch.push(entry);
    }
    queue = later.concat(queue.slice(next));
    return batch;
  }

  function settle(entry: Entry, act: () => void): void {
    if (entry.isSettled) return;
    entry.isSettled = true;
    clearTimeout(entry.timer);
    act();
  }

  async function runBatch(batch: readonly Entry[]): Promise<void> {
    batchesRunning += 1;
    callsOfNewestBatch = batch.length;
    try {
      const answers = await options.run(batch.map((entry) => entry.call));
      batch.forEach((entry, i) => {
        settle(entry, () => entry.resolve(answers[i] as Answer));
      });
    } catch (error) {
      for (const entry of batch) settle(entry, () => entry.reject(error));
    }
    batchesRunning -= 1;
    startBatches();
  }

  function startBatches(): void {
    while (batchesRunning < batchesMax) {
      if (batchesRunning > 0 && queue.length < callsOfNewestBatch) return;
      const batch = takeBatch();
      if (batch.length === 0) return;
      void runBatch(batch);
    }
  }

  return (call) =>
    new Promise((resolve, reject) => {
      if (queue.length >= options.waitingMax) return reject(new Failure("service_unavailable"));
      const timer = setTimeout(() => {
        settle(entry, () => reject(new Failure("service_unavailable")));
      }, options.deadlineMs);
      const key = options.separate?.(call) ?? null;
      const entry: Entry = { call, key, isSettled: false, timer, resolve, reject };
      queue.push(entry);
      if (isStarting || batchesRunning === batchesMax) return;
      isStarting = true;
      // The batch starts after the event loop has read every socket that is ready, so that their
      // calls join it.
      setImmediate(() => {
        isStarting = false;
        startBatches();
      });
    });
}
