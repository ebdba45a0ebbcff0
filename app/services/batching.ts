import { Failure } from "../domain/failure";

export interface BatchOptions<Call, Answer> {
  /** Answers every call of a batch, in order, or fails them all. */
  run: (calls: readonly Call[]) => Promise<readonly Answer[]>;
  callsMax: number;
  /** Calls that may wait; more are refused at once. */
  waitingMax: number;
  /** From a call's arrival to its answer. */
  deadlineMs: number;
  /** Two calls of the same key never share a batch: the later one sees what the first one did. */
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
 * Natural batching: calls that arrive while a batch is under way go together in the next one. No
 * timer holds a call back, so a lone call is as quick as it would be without.
 * @throws {Failure} `service_unavailable`, from the returned function, over a bound or the deadline
 */
export function createBatcher<Call, Answer>(
  options: BatchOptions<Call, Answer>,
): (call: Call) => Promise<Answer> {
  type Entry = Waiting<Call, Answer>;
  let queue: Entry[] = [];
  let isRunning = false;

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

  async function drain(): Promise<void> {
    for (let batch = takeBatch(); batch.length > 0; batch = takeBatch()) {
      try {
        const answers = await options.run(batch.map((entry) => entry.call));
        batch.forEach((entry, i) => {
          settle(entry, () => entry.resolve(answers[i] as Answer));
        });
      } catch (error) {
        for (const entry of batch) settle(entry, () => entry.reject(error));
      }
    }
    isRunning = false;
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
      if (isRunning) return;
      isRunning = true;
      // After the event loop has read every socket that is ready: those calls go along.
      setImmediate(() => void drain());
    });
}
