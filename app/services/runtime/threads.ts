import { existsSync } from "node:fs";
import path from "node:path";
import { Worker } from "node:worker_threads";

/** The largest JavaScript heap of a thread, in MB; a million wallets need a tenth of it. */
const HEAP_MAX_MB = 2_048;

/**
 * Runs a module of app/services in a thread of its own and waits for its end. The thread does not
 * block other callers.
 * @param module the module's path in app/services, without extension; vite.config.ts lists it as an
 *   entry
 * @param data the thread's `workerData`
 * @param signal ends the thread at any point
 * @returns the last message of the thread; undefined when it posted none
 * @throws {Error} the error of the thread, or an error when it was ended
 */
export async function runInThread(
  module: string,
  data: object,
  signal: AbortSignal,
): Promise<unknown> {
  signal.throwIfAborted();
  const name = path.basename(module);
  const file = locateThread(module);
  const isSource = file.pathname.endsWith(".ts");
  const thread = new Worker(isSource ? loadSource(file) : file, {
    name,
    workerData: { ...data, task: name },
    eval: isSource,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MB },
  });
  const end = () => void thread.terminate();
  signal.addEventListener("abort", end, { once: true });
  try {
    return await new Promise<unknown>((resolve, reject) => {
      let answer: unknown;
      thread.on("message", (message) => {
        answer = message;
      });
      thread.once("error", reject);
      thread.once("exit", (code) => {
        if (code === 0) resolve(answer);
        else reject(new Error(`The thread ${name} ended with ${code}`));
      });
    });
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/**
 * Finds the module: as a source file, or at the top of the build, where this module is in a chunk
 * or at the top too.
 */
function locateThread(module: string): URL {
  const name = path.basename(module);
  const places = [`../${module}.ts`, `./${name}.js`, `../${name}.js`];
  const found = places
    .map((place) => new URL(place, import.meta.url))
    .find((url) => existsSync(url));
  if (!found) throw new Error(`The build lacks ${name}`);
  return found;
}

/**
 * Writes the code that loads a source file, for development and tests. The file of a thread cannot
 * be TypeScript, but its imports can.
 */
function loadSource(file: URL): string {
  const url = JSON.stringify(file.href);
  return `import("tsx/esm/api").then(({ register }) => { register(); return import(${url}); });`;
}
