/** A stop that takes longer than this, beside the time of draining, is aborted. */
const STOP_DEADLINE_MS = 20_000;

/** The reason for which a process ends that another version has taken the database from. */
const OUTDATED =
  "Another version has taken the database over: this process may not serve it any more, and ends";

/**
 * Runs `stop` once at Ctrl-C, SIGTERM or a closed terminal, then exits.
 * @param drainSeconds the time in which `stop` goes on accepting requests
 * @param outdated resolves when this process may not serve any more: it then stops at once, with status 1
 */
export function stopOnSignals(
  stop: (graceMs?: number) => Promise<void>,
  drainSeconds = 0,
  outdated?: Promise<void>,
): void {
  let isStopping = false;
  const end = (status: number, graceMs?: number) => {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(1), STOP_DEADLINE_MS + drainSeconds * 1_000).unref();
    stop(graceMs).then(
      () => process.exit(status),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => end(0));
  }
  void outdated?.then(() => {
    console.error(OUTDATED);
    end(1, 0);
  });
}
