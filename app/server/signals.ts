/** A stop that takes longer than this, beside the time of draining, is aborted. */
const STOP_DEADLINE_MS = 20_000;

/**
 * Runs `stop` once at Ctrl-C, SIGTERM or a closed terminal, then exits.
 * @param drainSeconds the time in which `stop` goes on accepting requests
 */
export function stopOnSignals(stop: () => Promise<void>, drainSeconds = 0): void {
  let isStopping = false;
  const onSignal = () => {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(1), STOP_DEADLINE_MS + drainSeconds * 1_000).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
}
