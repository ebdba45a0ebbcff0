import { constants } from "node:os";

/** A stop that takes longer than this, beside the grace, is aborted. */
const STOP_DEADLINE_MS = 20_000;

/** The reason for which a process ends that another version has taken the database from. */
const OUTDATED =
  "Another version has taken the database over: this process may not serve it any more, and ends";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const end = (signal: NodeJS.Signals) => process.exit(128 + constants.signals[signal]);

/**
 * Ends the process at a signal that comes during its start, until `stopOnSignals` is called. The first process of a
 * container would lose the signal otherwise.
 */
export function endOnSignals(): void {
  for (const signal of SIGNALS) process.on(signal, end);
}

/** A service that can be stopped. */
interface Stoppable {
  /** @param graceMs the time in which it goes on accepting requests */
  readonly stop: (graceMs: number) => Promise<void>;
  /** Chooses the grace of a stop that begins now; without it, there is none. */
  readonly chooseGraceMs?: () => number;
  /** Resolves when this process may not serve any more: it then stops at once, with status 1. */
  readonly outdated?: Promise<void>;
}

/** Stops the service and exits: with status 1 when that fails, or takes too long. */
export function stopAndExit(stop: Stoppable["stop"], graceMs: number, status = 0): void {
  setTimeout(() => process.exit(1), STOP_DEADLINE_MS + graceMs).unref();
  stop(graceMs).then(
    () => process.exit(status),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
}

/** Stops a service once at Ctrl-C, SIGTERM or a closed terminal, then exits. */
export function stopOnSignals({ stop, chooseGraceMs = () => 0, outdated }: Stoppable): void {
  let isStopping = false;
  const stopOnce = (status: number, graceMs: number) => {
    if (isStopping) return;
    isStopping = true;
    stopAndExit(stop, graceMs, status);
  };
  for (const signal of SIGNALS) {
    process.off(signal, end).on(signal, () => stopOnce(0, chooseGraceMs()));
  }
  void outdated?.then(() => {
    console.error(OUTDATED);
    stopOnce(1, 0);
  });
}
