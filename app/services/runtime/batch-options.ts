/** The place and the time of a batch. */
interface BatchTerms {
  /** The connection that the batch has, from 0 on: one of another group never waits for it. */
  readonly connection: number;
  /** The time by `performance.now()` at which the first of its callers no longer waits. */
  readonly endsAtMs: number;
}

/** The connections that batches have, at most one group's on each at once. */
interface BatchConnections {
  /** Those for groups whose batches are quick and do not fail; `Infinity` where batches need no connections of their own. */
  readonly sound: number;
  /** Further ones, for groups in trouble; without any, these share those of the others. */
  readonly troubled: number;
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
  /** The most calls that may wait, each as `weight` counts it; further calls are rejected at once. */
  waitingMax: number;
  /** The most calls of a group that may wait; `waitingMax` when left out. */
  waitingOfGroupMax?: number;
  /** Returns how much of `waitingMax` and `waitingOfGroupMax` a call takes; 1 when left out. */
  weight?: (call: Call) => number;
  /** The time from a call's arrival to its answer. */
  deadlineMs: number;
  /**
   * Returns the group of a call. A batch holds calls of one group, in the order of their arrival, and groups do not
   * wait for each other while there are free connections. All calls are of one group when left out.
   */
  group?: (call: Call) => string;
  /** Returns the connections for batches: one when left out. */
  countConnections?: () => BatchConnections;
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
  /** Tells whether a batch wrote something: others are no measure for the quickest. All are when left out. */
  hasWritten?: (calls: readonly Call[], answers: readonly Answer[]) => boolean;
  /** Returns the time after which the calls of a failed batch are run again; null to reject them. */
  retryAfterMs?: (error: unknown) => number | null;
  /**
   * Makes the error of a call that is rejected for want of room or time.
   * @param isUnderWay whether the call's batch has begun and not ended
   */
  lateError?: (call: Call, isUnderWay: boolean) => Error;
}
