import { Failure } from "../../domain/failure";

/**
 * Limits concurrent work. Work beyond the limit waits, and the first to come is the first to begin.
 * @param options.atOnceMax how much work is under way at most
 * @param options.waitingMax how much may wait; more is rejected at once
 * @param options.waitMs how long it may wait
 * @returns runs work within the limit; throws `service_unavailable` when it may not wait any longer
 */
export function createLimiter(options: {
  readonly atOnceMax: number;
  readonly waitingMax: number;
  readonly waitMs: number;
}): <Value>(work: () => Promise<Value>) => Promise<Value> {
  const { atOnceMax, waitingMax, waitMs } = options;
  /** Begins the work of each caller that waits, in their order. */
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
    // Work that ends hands its place to the next, so that the count stays as it is.
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
