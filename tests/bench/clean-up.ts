/** Registers work to undo at the end, however the benchmark ends. */
export type Defer = (undo: () => Promise<void> | void) => void;

const scopes = new Set<(() => Promise<void> | void)[]>();

/** Runs `work`, then undoes what it deferred, the last first. */
export async function withCleanUp<T>(work: (defer: Defer) => Promise<T>): Promise<T> {
  const scope: (() => Promise<void> | void)[] = [];
  scopes.add(scope);
  try {
    return await work((undo) => scope.push(undo));
  } finally {
    await undoAll(scope);
    scopes.delete(scope);
  }
}

/** Undoes all deferred work at Ctrl-C or SIGTERM, then exits. */
export function cleanUpOnSignals(): void {
  let isLeaving = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (isLeaving) return;
      isLeaving = true;
      console.error(`${signal}: stopping`);
      void Promise.allSettled([...scopes].reverse().map(undoAll)).then(() => process.exit(130));
    });
  }
}

async function undoAll(scope: (() => Promise<void> | void)[]): Promise<void> {
  for (let undo = scope.pop(); undo; undo = scope.pop()) {
    try {
      await undo();
    } catch (error) {
      console.error(error);
    }
  }
}
