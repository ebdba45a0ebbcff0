import { Failure } from "../../domain/failure";

/**
 * Creates a limiter of concurrent work. Work beyond the limit waits, and starts in the order of its
 * arrival.
 * @param options.atOnceMax the most work under way at once
 * @param options.waitingMax the most work that may wait; more is rejected at once
 * @param options.waitMs the longest wait
 * @returns a function that runs work within the limit; it throws `service_unavailable` when the
 *   work cannot wait, or waited too long
 */
export function createLimiter(options: {
  readonly atOnceMax: number;
  readonly waitingMax: number;
  readonly waitMs: number;
}): <Value>(work: () => Promise<Value>) => Promise<Value> {
  const { atOnceMax, waitingMax, waitMs } = options;
  /** Functions that start the waiting work, in the order of its arrival. */
  const waiting = new Set<() => void>();
  let underWay = 0;

  function wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (waiting.size >= waitingMax) return reject(new Failure("service_unavailable"));
      const timer = setTimeout(() => {
        waiting.delete(begin);
        reject(new Failure("service_unavailable"));
      }, waitMs);
      const begin = () => {
        clearTimeout(timer);
        waiting.delete(begin);
        resolve();
      };
      waiting.add(begin);
    });
  }

  return async (work) => {
    // Finished work passes its place to the next, so that the count does not change.
    if (underWay >= atOnceMax) await wait();
    else underWay += 1;
    try {
      return await work();
    } finally {
      const [beginNext] = waiting;
      if (beginNext) beginNext();
      else underWay -= 1;
    }
  };
}
