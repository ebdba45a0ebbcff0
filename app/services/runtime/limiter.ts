import { Failure } from "../../domain/failure";

/** Work of one caller, such as a tenant, among all. */
interface Group {
  underWay: number;
  waiting: number;
}

/**
 * Creates a limiter of concurrent work. Work beyond the limit waits, and starts in the order of its
 * arrival, as far as its group has places.
 * @param options.atOnceMax the most work under way at once
 * @param options.waitingMax the most work that may wait; more is rejected at once
 * @param options.waitMs the longest wait
 * @param options.partOfGroup the part of both that one group may take; all when left out
 * @returns a function that runs work of a group within the limit; it throws `service_unavailable` when the
 *   work cannot wait, or waited too long
 */
export function createLimiter(options: {
  readonly atOnceMax: number;
  readonly waitingMax: number;
  readonly waitMs: number;
  readonly partOfGroup?: number;
}): <Value>(work: () => Promise<Value>, group?: string) => Promise<Value> {
  const { atOnceMax, waitingMax, waitMs, partOfGroup = 1 } = options;
  /** Functions that start the waiting work, with its group, in the order of its arrival. */
  const waiting = new Map<() => void, Group>();
  /** The groups that have work. */
  const groups = new Map<string, Group>();
  let underWay = 0;

  const hasPlace = (group: Group) =>
    underWay < atOnceMax && group.underWay < atOnceMax * partOfGroup;

  function takePlace(group: Group): void {
    underWay += 1;
    group.underWay += 1;
  }

  function passPlaceOn(group: Group): void {
    underWay -= 1;
    group.underWay -= 1;
    for (const [begin, next] of waiting) {
      if (hasPlace(next)) {
        begin();
        return;
      }
    }
  }

  function wait(group: Group): Promise<void> {
    return new Promise((resolve, reject) => {
      if (waiting.size >= waitingMax || group.waiting >= waitingMax * partOfGroup) {
        return reject(new Failure("service_unavailable"));
      }
      const leave = () => {
        clearTimeout(timer);
        waiting.delete(begin);
        group.waiting -= 1;
      };
      const timer = setTimeout(() => {
        leave();
        reject(new Failure("service_unavailable"));
      }, waitMs);
      const begin = () => {
        leave();
        takePlace(group);
        resolve();
      };
      waiting.set(begin, group);
      group.waiting += 1;
    });
  }

  return async (work, name = "") => {
    const group = groups.get(name) ?? { underWay: 0, waiting: 0 };
    groups.set(name, group);
    try {
      if (hasPlace(group)) takePlace(group);
      else await wait(group);
      try {
        return await work();
      } finally {
        passPlaceOn(group);
      }
    } finally {
      if (group.underWay + group.waiting === 0) groups.delete(name);
    }
  };
}
