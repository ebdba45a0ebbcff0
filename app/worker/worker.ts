/** A repeated piece of background work. A service defines it. */
export interface Job {
  readonly name: string;
  /** The rest after a run that found nothing more to do. */
  readonly restMs: number;
  /**
   * Does a bounded piece of work. Returns true when more is due at once, or the milliseconds until it is, at most `restMs`.
   * @param report receives a failure that does not end the run
   */
  readonly run: (report: (error: unknown) => void) => Promise<boolean | number>;
}

export interface Worker {
  /** Waits for running work to end, and runs each job one last time. */
  readonly stop: () => Promise<void>;
}

/** The rest after a failure. The database may be unavailable for a moment. */
const REST_AFTER_FAILURE_MS = 5_000;

/**
 * Runs jobs until it is stopped, each in its own loop. Any number of processes may run them at
 * once: each takes work that no other process has.
 * @param onFailure receives the first failure of a series, and in a job of several items also the first one of
 *   each item; not those that follow; and every failure that a job reports
 */
export function startWorker(
  jobs: readonly Job[],
  onFailure: (job: string, error: unknown) => void,
): Worker {
  const stops = jobs.map((job) => startLoop(job, onFailure));
  return {
    async stop() {
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}

function startLoop({ name, restMs, run }: Job, onFailure: (job: string, error: unknown) => void) {
  let isStopping = false;
  /** The failures that were told since the last success: items, or the job itself. */
  const told = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let wake = () => {};
  const runOnce = async (): Promise<number> => {
    try {
      const more = await run((error) => onFailure(name, error));
      told.clear();
      if (typeof more === "number") return Math.min(more, restMs);
      return more ? 0 : restMs;
    } catch (error) {
      const failed = error instanceof AggregateError ? error.errors.map(String) : [name];
      if (failed.some((each) => !told.has(each))) onFailure(name, error);
      for (const each of failed) told.add(each);
      return Math.max(restMs, REST_AFTER_FAILURE_MS);
    }
  };
  const loop = async () => {
    while (!isStopping) {
      const waitMs = await runOnce();
      if (isStopping) break;
      await new Promise<void>((resolve) => {
        wake = resolve;
        timer = setTimeout(resolve, waitMs);
      });
    }
    await runOnce();
  };
  const ended = loop();
  return async () => {
    isStopping = true;
    clearTimeout(timer);
    wake();
    await ended;
  };
}
