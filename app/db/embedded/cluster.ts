import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { takeStartLock } from "./file-lock";
import { isHeld, registerHolder } from "./holders";
import { passwordFileName, username } from "./initdb";
import { getRestoreMark, locateCluster } from "./location";
import {
  createPostmasterDeadline,
  ensureRunning,
  type PostmasterOptions,
  stopPostmaster,
} from "./postmaster";
import { isAlive } from "./processes";
import { followLog, isLogLong, isSevere, rotateLog } from "./server-log";

/** This process's hold on the bundled PostgreSQL, which runs as long as any process holds it. */
export interface EmbeddedCluster {
  /** Connection options for postgres.js; `host` is the socket's folder, or 127.0.0.1 on Windows. */
  readonly connection: {
    host: string;
    port: number;
    username: string;
    password: string;
    database: string;
  };
  /**
   * Ends this hold. The last release stops PostgreSQL; earlier ones leave it running. Idempotent.
   */
  release(): Promise<void>;
}

/** Options of a hold. */
export interface HoldOptions {
  /** the folder whose subfolder `pg` contains the cluster */
  readonly dataDir: string;
  /** created if missing; "points" by default */
  readonly database?: string;
  /** PostgreSQL settings that apply while the postmaster was started by this process */
  readonly settings?: Record<string, string>;
  readonly log?: (message: string) => void;
}

const pollMs = 200;
const retryDelayMsMin = 100;
const retryDelayMsMax = 2_000;

/**
 * Codes of errors that pass by themselves: the cluster is starting or stopping (57P, and no
 * connection), or another process is creating this database or another one.
 */
const transientCodes = /^(?:57P..|42P04|23505|55006|CONNECT\w+|ECONN\w+|ENOENT|EPIPE)$/;

/** Creates the database if it is missing. This also proves that the cluster accepts connections. */
async function ensureDatabase(connection: EmbeddedCluster["connection"]): Promise<void> {
  const sql = postgres({
    ...connection,
    database: "postgres",
    max: 1,
    connect_timeout: 5,
    fetch_types: false,
    onnotice: () => {},
  });
  try {
    const { database } = connection;
    const found = await sql`select 1 from pg_database where datname = ${database}`;
    if (found.length > 0) return;
    await sql.unsafe(`create database "${database.replaceAll('"', '""')}"`);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/**
 * Connects as soon as the cluster allows it, and starts the cluster again if its last holder has
 * just left.
 */
async function connectToCluster(start: PostmasterOptions, database: string) {
  const deadline = createPostmasterDeadline(start.location, start.log);
  for (;;) {
    const { pid, port } = await ensureRunning(start, deadline);
    const host = process.platform === "win32" ? "127.0.0.1" : start.location.socketDir;
    const password = readFileSync(join(start.location.clusterDir, passwordFileName), "utf8");
    const connection = { host, port, username, password, database };
    try {
      await ensureDatabase(connection);
      return { pid, connection };
    } catch (error) {
      if (!transientCodes.test((error as { code?: string }).code ?? "")) throw error;
      deadline.check();
      await start.pause(20);
    }
  }
}

/** Rotates the log of a cluster, unless another holder does. */
function rotateInTurn({ logFile, startLockDir }: PostmasterOptions["location"]): void {
  if (!isLogLong(logFile)) return;
  const endTurn = takeStartLock(startLockDir);
  if (!endTurn) return;
  try {
    rotateLog(logFile);
  } finally {
    endTurn();
  }
}

/**
 * Watches the postmaster and restarts it whenever it ends, until stopped. The watch does not keep
 * the event loop alive.
 * @returns `check` looks at once; `stop` resolves when a recovery under way has ended
 */
function watchPostmaster(start: PostmasterOptions, firstPid: number) {
  const { location, log, signal } = start;
  const readNewLines = followLog(location.logFile);
  let pid = firstPid;
  let recovery: Promise<void> | null = null;

  const recover = async () => {
    log(`PostgreSQL (pid ${pid}) has ended while in use; bringing it back`);
    let lastMessage = "";
    for (let delayMs = 0; ; delayMs = Math.min(delayMs * 2 || retryDelayMsMin, retryDelayMsMax)) {
      try {
        await sleep(delayMs, undefined, { ref: false, signal });
        ({ pid } = await ensureRunning(start, createPostmasterDeadline(location, log)));
        break;
      } catch (error) {
        if (signal.aborted) return;
        const { message } = error as Error;
        if (message !== lastMessage) log(message);
        lastMessage = message;
      }
    }
    log(`PostgreSQL is back (pid ${pid})`);
    readNewLines(); // skips the lines of the failed attempts
  };
  const check = () => {
    if (recovery || signal.aborted) return;
    readNewLines().filter(isSevere).forEach(log);
    rotateInTurn(location);
    if (isAlive(pid)) return;
    recovery = recover().finally(() => {
      recovery = null;
    });
  };
  const timer = setInterval(check, pollMs).unref();
  const stop = async () => {
    clearInterval(timer);
    await recovery;
  };
  return { check, stop };
}

/**
 * Holds the bundled PostgreSQL: creates the cluster if there is none, starts it or joins the
 * running one, and restarts it should it end. Any number of processes may hold it, and a process
 * may hold it more than once. If a process dies without releasing it, a watchdog releases it.
 * @throws when PostgreSQL does not start, with the end of its output, or a restore is not complete
 * @example
 * const cluster = await holdEmbeddedCluster({ dataDir: ".data", log: console.error });
 * const sql = postgres(cluster.connection);
 */
export async function holdEmbeddedCluster({
  dataDir,
  database = "points",
  settings = {},
  log = () => {},
}: HoldOptions): Promise<EmbeddedCluster> {
  const location = locateCluster(dataDir, log);
  if (existsSync(getRestoreMark(location)) && !settings.restore_command) {
    throw new Error(
      `A restore into ${dataDir} is not complete. Wait for its end, or run npm run restore again if it was interrupted.`,
    );
  }
  const holder = registerHolder(location, log);
  const abort = new AbortController();
  let watch: ReturnType<typeof watchPostmaster> | null = null;
  const onExit = () => watch?.check();
  const start = { location, settings, log, signal: abort.signal, onExit };

  const letGo = async () => {
    abort.abort();
    // The recovery's pauses do not keep the event loop alive; this timer does until the recovery
    // has ended.
    const keepAlive = setInterval(() => {}, pollMs);
    try {
      await watch?.stop();
      holder.unregister();
      if (!isHeld(location)) await stopPostmaster(location, log);
    } finally {
      clearInterval(keepAlive);
      holder.dismissWatchdog();
    }
  };
  let released: Promise<void> | null = null;
  const release = () => {
    released ??= letGo();
    return released;
  };

  try {
    const first = await connectToCluster({ ...start, port: undefined, pause: sleep }, database);
    const { port } = first.connection;
    const pause = (ms: number) => sleep(ms, undefined, { ref: false });
    watch = watchPostmaster({ ...start, port, pause }, first.pid);
    return { connection: first.connection, release };
  } catch (error) {
    await release();
    throw error;
  }
}
