/** The time after which PostgreSQL cancels a statement. */
export const STATEMENT_TIMEOUT_MS = 4_000;

/**
 * The time in which a caller has an answer, even when the database is stuck: the documented 5 s,
 * less slack.
 */
export const DATABASE_DEADLINE_MS = 4_500;

/**
 * Creates a signal that aborts when the time is up, or as soon as one of the others does.
 * `AbortSignal.timeout` and `AbortSignal.any` together do not: depending on Node's version, the
 * source or its reason is garbage-collected first, and the wait never ends (nodejs/node#57736,
 * #65995).
 * With `using` it ends with the block as well, and leaves no listener on the others.
 */
export function createDeadline(
  afterMs: number,
  ...others: AbortSignal[]
): AbortSignal & Disposable {
  const aborter = new AbortController();
  const { signal } = aborter;
  // The timer alone does not keep the process alive.
  const timer = setTimeout(() => {
    aborter.abort(new DOMException("The time is up", "TimeoutError"));
  }, afterMs).unref();
  signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  for (const other of others) {
    if (other.aborted) aborter.abort(other.reason);
    other.addEventListener("abort", () => aborter.abort(other.reason), { once: true, signal });
  }
  return Object.assign(signal, { [Symbol.dispose]: () => aborter.abort() });
}

/**
 * Waits for work until a deadline. Work that is late goes on, and its outcome is ignored.
 * @param lateError makes the error that the caller gets instead
 */
export async function waitInTime<Value>(
  work: Promise<Value>,
  deadlineMs: number,
  lateError: () => Error,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(lateError()), deadlineMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
