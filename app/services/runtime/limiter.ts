import { Failure } from "../../domain/failure";

/**
 * Does some work at a time, and lets the rest wait for its turn.
 * @param options.atOnceMax how much work is under way at most
 * @param options.waitingMax how much may wait; more is turned away
 * @param options.waitMs how long it may wait
 * @returns does work when its turn has come; throws `service_unavailable` when it does not come
 */
export function createTurns(options: {
  readonly atOnceMax: number;
  readonly waitingMax: number;
  readonly waitMs: number;
}): <Value>(work: () => Promise<Value>) => Promise<Value> {
  const { atOnceMax, waitingMax, waitMs } = options;
  /** What begins those who wait, the first first. */
  const waiting = new Set<() => void>();
  let underWay = 0;

  async function waitForTurn(): Promise<void> {
    if (underWay < atOnceMax) {
      underWay += 1;
      return;
    }
    if (waiting.size >= waitingMax) throw new Failure("service_unavailable");
    await new Promise<void>((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(begin);
        reject(new Failure("service_unavailable"));
      }, waitMs);
      waiting.add(begin);
    });
  }

  function passTurn(): void {
    const [next] = waiting;
    if (!next) {
      underWay -= 1;
      return;
    }
    waiting.delete(next);
    next();
  }

  return async (work) => {
    await waitForTurn();
    try {
      return await work();
    } finally {
      passTurn();
    }
  };
}
