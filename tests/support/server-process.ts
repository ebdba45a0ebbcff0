import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { commandDatabase, openMigratedDatabase } from "../../app/db/open";
import { loadFixture } from "../../app/services/fixture/load-fixture";
import { openKeyring } from "../../app/services/keyring/keys";

export interface ServerProcess {
  readonly url: string;
  readonly dataDir: string;
  readonly process: ChildProcess;
  /** Its output so far. */
  readonly output: () => string;
  /** Its log, a line of JSON an entry. */
  readonly logLines: () => Record<string, unknown>[];
  /** Resolves with its exit status. */
  readonly exited: Promise<number | null>;
  /**
   * Sends a signal and waits for its end.
   * @throws {Error} when it printed one of Node's warnings
   */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
}

/** The settings of a server that does not use the embedded database; none for one that does. */
export type ServerDatabase =
  | { readonly DATABASE_URL: string; readonly GIFT_CARD_KEYS: string }
  | Record<string, never>;

/**
 * Makes a folder for a server's data, passable for the user that PostgreSQL runs as. It holds a migrated
 * cluster where tests/setup/data-dir.ts has made one, unless it is to be empty.
 */
export async function createDataDir({ isEmpty = false } = {}): Promise<string> {
  const dataDir = await fs.mkdtemp(path.join(os.tmpdir(), "points-server-"));
  await fs.chmod(dataDir, 0o755);
  const template = process.env.TEST_DATA_TEMPLATE;
  if (template !== undefined && !isEmpty) {
    await promisify(execFile)("cp", ["-a", `${template}/pg`, dataDir]);
  }
  return dataDir;
}

/**
 * Starts the built server, as `npm start` does, and waits until it is ready.
 * @param options.folder the installation; this one by default
 * @param options.program the file of the installation that Node runs; the built server of this checkout by default
 * @param options.logTo the open file that takes its log in place of `logLines`
 */
export async function startServerProcess(options: {
  dataDir: string;
  env?: Record<string, string>;
  folder?: string;
  program?: string;
  logTo?: number;
}): Promise<ServerProcess> {
  const { dataDir, env = {}, folder: cwd = ".", program, logTo = "pipe" } = options;
  const child = spawn(process.execPath, [program ?? path.resolve("build/server/main.js")], {
    cwd,
    stdio: ["ignore", logTo, "pipe"],
    // By default names are resolved at a public node, which tests do not call.
    env: {
      ...process.env,
      DATABASE_URL: "",
      PORT: "0",
      DATA_DIR: dataDir,
      RPC_URL_1: "off",
      ...env,
    },
  });
  let output = "";
  let log = "";
  child.stdout?.on("data", (chunk) => {
    log += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    output += chunk;
  });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  // On a busy machine, the last lines are read after the exit. What the server started may hold the pipe on.
  const isRead = new Promise((resolve) => child.stdout?.once("close", resolve) ?? resolve(null));
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.on("data", () => {
      const ready = /is ready at (\S+)/.exec(output)?.[1];
      if (ready) resolve(ready);
    });
    void exited.then((code) => reject(new Error(`The server ended with ${code}: ${output}${log}`)));
  });
  return {
    url,
    dataDir,
    process: child,
    exited,
    output: () => output,
    logLines: () =>
      log
        .split("\n")
        // What follows the last line's end is not whole yet.
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    async end(signal) {
      child.kill(signal);
      const code = await exited;
      await Promise.race([isRead, sleep(1_000)]);
      if (output.includes("Warning:")) throw new Error(output);
      return code;
    },
  };
}

/**
 * Starts the program of `npm run worker`, and waits until it is ready.
 * @param options.folder the installation; this one by default
 */
export async function startWorkerProcess(options: {
  env: Record<string, string>;
  folder?: string;
  program?: string;
}) {
  const { env, folder: cwd = ".", program = path.resolve("build/server/worker-main.js") } = options;
  const child = spawn(process.execPath, [program], {
    cwd,
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, DATABASE_URL: "", ...env },
  });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let output = "";
  child.stderr?.on("data", (chunk) => {
    output += chunk;
  });
  await waitUntil(() => output.includes("The worker is ready"), 30_000).catch((error) => {
    child.kill("SIGKILL");
    throw new Error(output, { cause: error });
  });
  return {
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    end(signal: NodeJS.Signals) {
      child.kill(signal);
      return exited;
    },
  };
}

/** Starts the server of `npm run dev`, and waits until it is ready. */
export function startDevelopmentServer(dataDir: string): Promise<ServerProcess> {
  return startServerProcess({
    dataDir,
    program: "app/commands/dev.ts",
    env: { NODE_ENV: "development", NODE_OPTIONS: "--import=tsx" },
  });
}

/** Does something in the database of a data folder, or in that of its DATABASE_URL, beside the servers that use it. */
export async function withDatabaseOf<T>(
  dataDir: string,
  work: () => Promise<T>,
  env: ServerDatabase = {},
): Promise<T> {
  const close = await openMigratedDatabase(
    commandDatabase({ DATA_DIR: dataDir, ...env }, () => {}),
  );
  try {
    return await work();
  } finally {
    await close();
  }
}

/** Loads a fixture as `npm run db:seed` does. */
export async function seed(
  dataDir: string,
  fixture: object,
  env: ServerDatabase = {},
): Promise<void> {
  const getKeyring = () => openKeyring({ DATA_DIR: dataDir, ...env });
  const load = () => loadFixture(JSON.parse(JSON.stringify(fixture)), { getKeyring });
  await withDatabaseOf(dataDir, load, env);
}

/**
 * Runs a command of the build, as its npm script does.
 * @throws with `stdout`, `stderr` and `code` when it fails
 */
export function runCommand([name, ...args]: string[], env: Record<string, string>) {
  return runNode([path.resolve("build/server", `${name}.js`), ...args], env);
}

/**
 * Runs a program with Node.
 * @throws with `stdout`, `stderr` and `code` when it fails
 */
export function runNode(args: string[], env: Record<string, string>) {
  return promisify(execFile)(process.execPath, args, {
    env: { ...process.env, DATABASE_URL: "", ...env },
  });
}

/** The pid of the PostgreSQL that serves a data folder; null when none is there. */
export function findPostmaster(dataDir: string): number | null {
  const cluster = path.join(dataDir, "pg");
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      const state = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.[0];
      if (command[0]?.endsWith("postgres") && command.includes(cluster) && state !== "Z") {
        return Number(pid);
      }
    } catch {
      // It ended meanwhile.
    }
  }
  return null;
}

/** Every process of a PostgreSQL, the postmaster first. */
export function listPostgresProcesses(postmaster: number): number[] {
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
        return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === postmaster;
      } catch {
        return false;
      }
    });
  return [postmaster, ...children.map(Number)];
}

/** Waits until something holds. */
export async function waitUntil(
  holds: () => boolean | Promise<boolean>,
  withinMs: number,
): Promise<void> {
  const givesUpAt = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > givesUpAt) throw new Error(`Not within ${withinMs} ms`);
    await sleep(20);
  }
}

/** The fixture of a small point system with fixed ids. */
export const SMALL_FIXTURE = {
  pointSystemId: "11111111-1111-4111-8111-111111111111",
  token: "rw_00000000000000000000000000000001",
  wallet: "0x00000000000000000000000000000000000000aa",
  file: {
    operators: [{ email: "ops@example.com", password: "a long passphrase", name: "Ops" }],
    pointSystems: [
      {
        operator: "ops@example.com",
        id: "11111111-1111-4111-8111-111111111111",
        name: "Alpha",
        slug: "alpha",
        triggers: [{ name: "Daily login", key: "daily_login", points: 10, active: true }],
        events: [
          { address: "0x00000000000000000000000000000000000000aa", points: 25, event: null },
        ],
      },
    ],
    apiKeys: [
      {
        operator: "ops@example.com",
        name: "backend",
        key: "rw_00000000000000000000000000000001",
        permission: "all",
        pointSystems: ["alpha"],
      },
    ],
  },
} as const;

/** Fires the small fixture's trigger over HTTP. */
export function fireOverHttp(
  url: string,
  walletAddress: string,
  idempotencyKey?: string,
): Promise<Response> {
  return fetch(`${url}/trigger`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${SMALL_FIXTURE.token}`,
      "Content-Type": "application/json",
      ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }),
    },
    body: JSON.stringify({
      triggerKey: "daily_login",
      walletAddress,
      pointSystemId: SMALL_FIXTURE.pointSystemId,
    }),
    signal: AbortSignal.timeout(10_000),
  });
}
