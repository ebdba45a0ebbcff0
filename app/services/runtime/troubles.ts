/** A time in which a group's batches fail or take long. */
interface Trouble {
  readonly untilMs: number;
  readonly depth: number;
  /** when its last batch that took long ended */
  readonly longAtMs: number;
}

/** How a batch went. */
interface BatchTook {
  readonly tookMs: number;
  /** whether it is a measure for the quickest batches */
  readonly isMeasure: boolean;
  /** whether there is no other group, whose connection it could take */
  readonly isAlone: boolean;
  /** whether its group was in trouble when it began */
  readonly wasTroubled: boolean;
}

/** The time for which a group counts as troubled after a batch that failed or took long, unless later ones do not. */
const TROUBLED_MS = 30_000;
/** The most groups whose trouble is remembered. */
const TROUBLED_MAX = 5_000;
/** How many times longer than the quickest batches those take that take long. */
const SLOWER_THAN_QUICKEST = 4;
/** A quick batch takes less than this part of `slowAfterMs`, or less than twice the quickest ones. */
const QUICK_PART = 4;
const QUICK_TIMES_QUICKEST = 2;
/**
 * The time after a long batch from which on a quick one lessens the trouble, and any other that is not long. A batch may
 * also be quick because a lock that is held again and again is just free, or about to be.
 */
const QUICK_LESSENS_AFTER_MS = 1_000;
const OTHER_LESSENS_AFTER_MS = 10_000;
/** By how much the time of the quickest batches grows with each batch, so that it follows a change. */
const QUICKEST_GROWS_BY = 1.05;
/** The depth after a failure: a quick batch shows that what failed is over, a second one ends the trouble. */
const DEPTH_OF_FAILURE = 2;
const DEPTH_MAX = 3;

/**
 * Remembers which groups of a batcher are in trouble, and how deep. The first batch that takes long makes a trouble of
 * depth 1, since it may be the machine that stalled. Each further one makes it deeper, each quick one less deep,
 * and after ten seconds each one that is not long.
 * @param slowAfterMs the time from which on a batch may take long: it does when the quickest ones take a quarter of its
 *   time or less
 */
export function createTroubles(slowAfterMs: number) {
  /** Those of the longest ago first. */
  const troubles = new Map<string, Trouble>();
  let quickestMs = Number.POSITIVE_INFINITY;

  function set(name: string, depth: number, longAtMs = performance.now()): void {
    troubles.delete(name);
    if (depth <= 0) return;
    const untilMs = performance.now() + TROUBLED_MS;
    troubles.set(name, { untilMs, depth: Math.min(depth, DEPTH_MAX), longAtMs });
    const [longest] = troubles.keys();
    if (troubles.size > TROUBLED_MAX) troubles.delete(longest ?? "");
  }

  function find(name: string): Trouble | undefined {
    const trouble = troubles.get(name);
    return trouble && performance.now() < trouble.untilMs ? trouble : undefined;
  }

  /** Notes a batch that did not fail. */
  function noteBatch(name: string, batch: BatchTook): void {
    const { tookMs, isMeasure, isAlone, wasTroubled } = batch;
    if (isMeasure) quickestMs = Math.min(tookMs, quickestMs * QUICKEST_GROWS_BY);
    const longMs = Math.max(slowAfterMs, SLOWER_THAN_QUICKEST * quickestMs);
    const { depth, longAtMs } = find(name) ?? { depth: 0, longAtMs: 0 };
    if (tookMs >= longMs) {
      // Two batches under way may have met the same stall.
      if (!isAlone) set(name, wasTroubled ? depth + 1 : Math.max(depth, 1));
      return;
    }
    const quickMs = Math.max(slowAfterMs / QUICK_PART, QUICK_TIMES_QUICKEST * quickestMs);
    const afterMs = tookMs < quickMs ? QUICK_LESSENS_AFTER_MS : OTHER_LESSENS_AFTER_MS;
    if (performance.now() >= longAtMs + afterMs) set(name, depth - 1, longAtMs);
  }

  return {
    /** Returns how deep a group is in trouble, 0 for not at all. */
    getDepth: (name: string) => find(name)?.depth ?? 0,
    noteBatch,
    noteFailure: (name: string) => set(name, Math.max(find(name)?.depth ?? 0, DEPTH_OF_FAILURE)),
    /** Notes that a group waits for its turn: its trouble does not pass meanwhile. */
    noteWait: (name: string) => {
      const trouble = troubles.get(name);
      if (trouble) set(name, trouble.depth, trouble.longAtMs);
    },
  };
}
