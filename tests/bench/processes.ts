import { spawn } from "node:child_process";
import os from "node:os";
import path from "node:path";
import type { Defer } from "./clean-up";

export interface ServerOptions {
  /** The built server's file, and its arguments. */
  readonly command: readonly string[];
  readonly env: Record<string, string>;
}

export interface BenchServer {
  readonly url: string;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

/** The same flags as `npm start` uses: memory of open requests is collected half as often. */
const NODE_FLAGS = ["--max-semi-space-size=64"];

/**
 * Starts a server in a separate process and waits until it reports that it is ready. Every server
 * gets the same Node with the same flags, and its log is discarded.
 */
export async function startServer(
  defer: Defer,
  { command, env }: ServerOptions,
): Promise<BenchServer> {
  const child = spawn(process.execPath, [...NODE_FLAGS, ...command], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ...DEFAULT_ENV, ...env },
  });
  let output = "";
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const stop = async () => {
    child.kill("SIGTERM");
    await exited;
  };
  defer(stop);
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on("data", (chunk) => {
      output += chunk;
      const ready = /ready at (\S+)/.exec(output)?.[1];
      if (ready) resolve(ready);
    });
    void exited.then(() => reject(new Error(`${command.join(" ")} ended: ${output}`)));
  });
  return { url, pid: child.pid ?? 0, stop };
}

/** Production's settings, which override a `.env`. */
const DEFAULT_ENV = {
  NODE_ENV: "production",
  NODE_OPTIONS: "",
  HOST: "127.0.0.1",
  PORT: "0",
  DATABASE_URL: "",
  // Each server records there which database it uses.
  DATA_DIR: path.join(os.tmpdir(), "points-bench"),
  RPC_URL_1: "off",
  DATABASE_CONNECTIONS_MAX: "",
  APP_ORIGIN: "",
  LOG_LEVEL: "info",
} as const;
