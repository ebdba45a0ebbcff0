/** Something to do again and again in the background. What it does stands in a service. */
export interface Job {
  readonly name: string;
  /** How long to rest when there was nothing more to do. */
  readonly restMs: number;
  /** Does a bounded piece of work; true when there is more of it right away. */
  readonly run: () => Promise<boolean>;
}

export interface Worker {
  /** Lets what is under way end, and does each job a last time. */
  readonly stop: () => Promise<void>;
}

/** After a failure, which may be a database that is away for a moment. */
const REST_AFTER_FAILURE_MS = 5_000;

/**
 * Does jobs until it is stopped, each one after itself. They are safe to run in any number of
 * processes at once: each takes what nobody else has.
 * @param onFailure is told when a job begins to fail, not of every failure that follows
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
  let isFailing = false;
  let timer: NodeJS.Timeout | undefined;
  let wake = () => {};
  const runOnce = async (): Promise<number> => {
    try {
      const hasMore = await run();
      isFailing = false;
      return hasMore ? 0 : restMs;
    } catch (error) {
      if (!isFailing) onFailure(name, error);
      isFailing = true;
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
