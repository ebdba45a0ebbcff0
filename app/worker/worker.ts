import { setMaxListeners } from "node:events";

/** A repeated piece of background work. A service defines it. */
export interface Job {
  readonly name: string;
  /** The rest after a run that found nothing more to do. */
  readonly restMs: number;
  /**
   * Does a bounded piece of work. Returns true when more is due at once, or the milliseconds until it is, at most `restMs`.
   * @param report receives a failure that does not end the run
   * @param signal aborts when the worker stops, before it waits for the run
   */
  readonly run: (
    report: (error: unknown) => void,
    signal: AbortSignal,
  ) => Promise<boolean | number>;
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
 * @param onStopped ends what the jobs have in common, after their last runs
 */
export function startWorker(
  jobs: readonly Job[],
  onFailure: (job: string, error: unknown) => void,
  onStopped = async () => {},
): Worker {
  const stopping = new AbortController();
  // Every loop and every attempt of its run listens to it.
  setMaxListeners(0, stopping.signal);
  const ended = Promise.all(jobs.map((job) => loop(job, stopping.signal, onFailure)));
  return {
    async stop() {
      stopping.abort();
      await ended;
      await onStopped();
    },
  };
}

async function loop(
  { name, restMs, run }: Job,
  signal: AbortSignal,
  onFailure: (job: string, error: unknown) => void,
): Promise<void> {
  /** The failures that were told since the last success: items, or the job itself. */
  const told = new Set<string>();
  const runOnce = async (): Promise<number> => {
    try {
      const more = await run((error) => onFailure(name, error), signal);
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
  while (!signal.aborted) {
    const waitMs = await runOnce();
    if (!signal.aborted) await rest(waitMs, signal);
  }
  await runOnce();
}

/** Waits for a time, or until `signal` aborts. */
function rest(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
