import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { ensureProgram } from "../support/ensure-program";

/** The result of a load of some seconds. */
export interface Load {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface LoadOptions {
  /** The Lua script in this folder that makes the requests. */
  readonly script: string;
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** The script's arguments, after the seed. */
  readonly scriptArguments?: readonly string[];
  /** Allows the server to refuse calls under this load; only answered calls count. */
  readonly mayRefuse?: boolean;
}

/** The summary that `done` in report.lua prints. */
interface Summary {
  requests: number;
  durationUs: number;
  p50Us: number;
  p99Us: number;
  failedStatuses: number;
  failedSockets: number;
}

const INSTALL_HINT =
  "The benchmarks need wrk. Debian and Ubuntu: apt-get install wrk. macOS: brew install wrk.";

/**
 * The seed of the next run. Each run draws other wallets and keys, the same in each `npm run
 * bench`.
 */
let seed = 0;

/**
 * Finds wrk, or installs it.
 * @throws {Error} with instructions for installing it
 */
export function ensureWrk(): void {
  ensureProgram("wrk", "wrk", INSTALL_HINT);
}

/**
 * Puts load on a URL: each connection sends its next request after the last one's answer.
 * @throws {Error} when an answer is not 200 or a connection fails, unless that is allowed: such a
 *   run measured something else
 */
export async function putLoad(options: LoadOptions): Promise<Load> {
  const { script, url, connections, seconds, scriptArguments = [], mayRefuse = false } = options;
  seed += 1;
  // One thread keeps up with every server here, and leaves the cores to them.
  const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "10s"];
  args.push("-s", path.join(import.meta.dirname, script), url, "--", String(seed));
  args.push(...scriptArguments);
  const { stdout } = await promisify(execFile)("wrk", args, { cwd: import.meta.dirname });
  const json = stdout.split("\n").find((line) => line.startsWith("{"));
  if (json === undefined) throw new Error(`wrk said:\n${stdout}`);
  const summary = JSON.parse(json) as Summary;
  const { requests, failedStatuses, failedSockets } = summary;
  const answered = requests - failedStatuses;
  if (answered === 0 || (!mayRefuse && failedStatuses + failedSockets > 0)) {
    throw new Error(
      `${script} on ${url}: of ${requests} requests ${failedStatuses} were refused, ` +
        `and ${failedSockets} had no answer`,
    );
  }
  return {
    requests: answered,
    perSecond: answered / (summary.durationUs / 1e6),
    p50Ms: summary.p50Us / 1e3,
    p99Ms: summary.p99Us / 1e3,
  };
}
