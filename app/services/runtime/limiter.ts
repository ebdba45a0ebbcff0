import { Failure } from "../../domain/failure";

/** Work of one caller, such as a tenant, among all. */
interface Group {
  underWay: number;
  /** Functions that start its waiting work, in the order of its arrival. */
  readonly waiting: Set<() => void>;
}

/**
 * Creates a limiter of concurrent work. Work beyond the limit waits. Groups take turns, as far as they have places; the
 * work of a group starts in the order of its arrival.
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
  /** The groups that have work, in the order of their turns. */
  const groups = new Map<string, Group>();
  let underWay = 0;
  let waiting = 0;

  const hasPlace = (group: Group) =>
    underWay < atOnceMax && group.underWay < atOnceMax * partOfGroup;

  function takePlace(group: Group): void {
    underWay += 1;
    group.underWay += 1;
  }

  function passPlaceOn(name: string, group: Group): void {
    underWay -= 1;
    group.underWay -= 1;
    // The others have their turn before its next one.
    groups.delete(name);
    groups.set(name, group);
    for (const next of groups.values()) {
      const [begin] = next.waiting;
      if (begin && hasPlace(next)) {
        begin();
        return;
      }
    }
  }

  function wait(group: Group): Promise<void> {
    return new Promise((resolve, reject) => {
      if (waiting >= waitingMax || group.waiting.size >= waitingMax * partOfGroup) {
        return reject(new Failure("service_unavailable"));
      }
      const leave = () => {
        clearTimeout(timer);
        group.waiting.delete(begin);
        waiting -= 1;
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
      group.waiting.add(begin);
      waiting += 1;
    });
  }

  return async (work, name = "") => {
    const group = groups.get(name) ?? { underWay: 0, waiting: new Set() };
    groups.set(name, group);
    try {
      if (hasPlace(group)) takePlace(group);
      else await wait(group);
      try {
        return await work();
      } finally {
        passPlaceOn(name, group);
      }
    } finally {
      if (group.underWay + group.waiting.size === 0) groups.delete(name);
    }
  };
}
