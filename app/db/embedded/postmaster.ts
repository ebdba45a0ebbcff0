import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, fchownSync, openSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { archiveSettings } from "./archive";
import { prepareBinaries } from "./binaries";
import { takeStartLock } from "./file-lock";
import { createCluster } from "./initdb";
import { type ClusterLocation, prepareSocketDir } from "./location";
import {
  getChildEnv,
  isAlive,
  isPidTaken,
  isPostmasterOf,
  isRecovering,
  listBackends,
} from "./processes";
import { chooseRecoverySync } from "./recovery-sync";
import { followLog, getMessage, isProgress, rotateLog } from "./server-log";
import { chooseSharedBuffers } from "./shared-buffers";

/** A live postmaster of this cluster, as its postmaster.pid describes it. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** false while it starts, recovers or shuts down */
  readonly isReady: boolean;
}

/** Options for starting a cluster. */
export interface PostmasterOptions {
  readonly location: ClusterLocation;
  readonly settings: Record<string, string>;
  /** undefined means any port; it matters on Windows only, elsewhere it only names the socket */
  readonly port: number | undefined;
  readonly log: (message: string) => void;
  /** ends the waiting; never between a postmaster's start and its postmaster.pid */
  readonly signal: AbortSignal;
  readonly pause: (ms: number) => Promise<unknown>;
  /** called when a postmaster that this process started ends, even long afterwards */
  readonly onExit: () => void;
}

/** The time limit of a start. */
export interface Deadline {
  /** throws when the time is up */
  check(): void;
  prolong(): void;
}

const isWindows = process.platform === "win32";
const socketPort = 5432;
const startTimeoutMs = 30_000;
export const stopTimeoutMs = 30_000;
const shownLines = 8;
/** Another start was first, or the backends of a killed postmaster are still ending: try again. */
const transient = /lock file "[^"]*" already exists|shared memory block/;

const defaultSettings = {
  ...archiveSettings,
  unix_socket_permissions: "0700",
  timezone: "UTC",
  log_timezone: "UTC",
  jit: "off",
  // Sixteen serving processes and a worker need 221 with their default. Each that may be costs 20 kB of shared memory.
  max_connections: "400",
  shared_buffers: chooseSharedBuffers(),
  random_page_cost: "1.1",
  max_wal_size: "2GB",
  checkpoint_timeout: "15min",
  recovery_init_sync_method: chooseRecoverySync(),
  // wal_compression stays off: the bundled builds have only pglz, which costs more than it saves.
  logging_collector: "off",
  log_checkpoints: "off",
  // Crashes are LOG. Clients report their own ERRORs, and statements contain people's data.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_parameter_max_length_on_error: "0",
};

/**
 * Allocator settings for glibc: memory that a statement frees is kept for the next one. By default
 * it returns to the kernel and is mapped and zeroed again for each statement, which is a fifth of a
 * rank's cost.
 */
const allocatorSettings = {
  MALLOC_TOP_PAD_: String(256 * 1024),
  MALLOC_MMAP_THRESHOLD_: String(2 * 1024 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(8 * 1024 * 1024),
};

/** Finds the live postmaster of a cluster, even when another process started it. */
function findPostmaster({ clusterDir }: ClusterLocation): Postmaster | null {
  try {
    const lines = readFileSync(join(clusterDir, "postmaster.pid"), "utf8").split("\n");
    const pid = Number(lines[0]);
    if (!(pid > 0) || !isPostmasterOf(clusterDir, pid)) return null;
    return { pid, port: Number(lines[3]), isReady: lines[7]?.trim() === "ready" };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/**
 * Limits a start to 30 s without progress. Recovery from a crash may take longer, and each progress
 * report extends the limit: an interrupted recovery would start again from the beginning.
 */
export function createPostmasterDeadline(
  { clusterDir, logFile }: ClusterLocation,
  log: (message: string) => void,
): Deadline {
  const readNewLines = followLog(logFile);
  const lines: string[] = [];
  let endsAt = Date.now() + startTimeoutMs;
  const prolong = () => {
    endsAt = Date.now() + startTimeoutMs;
  };
  const check = () => {
    for (const line of readNewLines()) {
      lines.push(line);
      if (!isProgress(line)) continue;
      prolong();
      log(line);
    }
    if (Date.now() < endsAt) return;
    throw new Error(
      [
        `PostgreSQL in ${clusterDir} was not ready within ${startTimeoutMs / 1000} s.`,
        ...lines.slice(-shownLines).map(getMessage),
      ].join("\n"),
    );
  };
  return { check, prolong };
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

function isAnswering(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}

/**
 * Clears the files of a dead postmaster that PostgreSQL would take for a live one because its pid
 * is in use again.
 */
async function clearTraces({ location, pause }: PostmasterOptions): Promise<void> {
  const { clusterDir, socketDir } = location;
  const socketPath = join(socketDir, `.s.PGSQL.${socketPort}`);
  // For an instant, a dying postmaster has lost its name but still has its socket.
  for (let tries = 0; await isAnswering(socketPath); tries++) {
    if (tries === 20) {
      throw new Error(
        `PostgreSQL in ${clusterDir} is run by a process that cannot be seen from here, perhaps in another container.`,
      );
    }
    await pause(50);
  }
  rmSync(`${socketPath}.lock`, { force: true });
  const pidFile = join(clusterDir, "postmaster.pid");
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, "utf8").split("\n")[0]);
  if (!(pid > 0) || isPidTaken(pid)) rmSync(pidFile, { force: true });
}

function spawnPostmaster(
  postgres: string,
  { location, settings }: PostmasterOptions,
  port: number,
): ChildProcess {
  const { clusterDir, socketDir, logFile, user } = location;
  const access = isWindows
    ? { listen_addresses: "127.0.0.1", unix_socket_directories: "" }
    : { listen_addresses: "", unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"` };
  const all = Object.entries({ ...defaultSettings, ...access, ...settings });
  const args = all.flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  rotateLog(logFile);
  // The log is a file, not a pipe: the postmaster outlives the process that started it.
  const descriptor = openSync(logFile, "a", 0o600);
  if (user) fchownSync(descriptor, user.uid, user.gid); // that user's processes may hold it, too
  try {
    return spawn(postgres, ["-D", clusterDir, "-p", String(port), ...args], {
      ...user,
      cwd: "/",
      detached: true, // Ctrl-C must not reach it
      env: { ...getChildEnv(), ...allocatorSettings },
      stdio: ["ignore", "ignore", descriptor],
      windowsHide: true,
    });
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Starts the cluster, after creating it if necessary, and waits until it is ready. The caller must
 * hold the lock for starting.
 */
async function start(options: PostmasterOptions, deadline: Deadline): Promise<void> {
  const { location, log, pause, signal } = options;
  if (findPostmaster(location)) return; // another holder has started it meanwhile
  const binaries = prepareBinaries(location);
  if (!existsSync(join(location.clusterDir, "PG_VERSION"))) {
    await createCluster(location, binaries, options.settings.fsync !== "off");
    deadline.prolong();
  }
  const port = options.port ?? (isWindows ? await findFreePort() : socketPort);
  if (!isWindows) {
    prepareSocketDir(location);
    await clearTraces(options);
  }

  const readNewLines = followLog(location.logFile);
  let failure: Error | null = null;
  const child = spawnPostmaster(binaries.postgres, options, port);
  child.unref();
  child.once("error", (error) => {
    failure = error;
  });
  child.once("exit", options.onExit);
  while (!failure && child.exitCode === null && child.signalCode === null) {
    const found = findPostmaster(location);
    if (found?.isReady) {
      log(`PostgreSQL started (pid ${found.pid}, data in ${location.clusterDir})`);
      return;
    }
    deadline.check();
    if (found) signal.throwIfAborted();
    await pause(10);
  }
  const lines = readNewLines();
  if (!failure && lines.some((line) => transient.test(line))) {
    // A killed postmaster's backends end by themselves, but only after a long query.
    for (const pid of findPostmaster(location) ? [] : listBackends(location.clusterDir)) {
      sendSignal(pid, "SIGQUIT");
    }
    await pause(100);
    return;
  }
  const how = failure ?? `exit code ${child.exitCode ?? child.signalCode}`;
  throw new Error(
    [
      `PostgreSQL did not start in ${location.clusterDir} (${how}).`,
      ...lines.slice(-shownLines).map(getMessage),
    ].join("\n"),
  );
}

/**
 * Finds the running postmaster, or starts one unless another process does. Waits for one that is
 * starting or stopping.
 * @throws when PostgreSQL refuses to start, or when `deadline` does
 */
export async function ensureRunning(
  options: PostmasterOptions,
  deadline: Deadline,
): Promise<Postmaster> {
  for (;;) {
    const found = findPostmaster(options.location);
    if (found?.isReady) return found;
    deadline.check();
    options.signal.throwIfAborted();
    const endTurn = found ? null : takeStartLock(options.location.startLockDir);
    if (!endTurn) {
      await options.pause(20);
      continue;
    }
    try {
      await start(options, deadline);
    } finally {
      endTurn();
    }
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/**
 * Stops the cluster: disconnects its clients, writes a checkpoint, and waits for its end. While it
 * recovers from a crash, it is stopped without a checkpoint and recovers at its next start:
 * PostgreSQL 18.4 never ends when it is stopped in good order meanwhile.
 */
export async function stopPostmaster(
  location: ClusterLocation,
  log: (message: string) => void,
): Promise<void> {
  const found = findPostmaster(location);
  if (!found) return;
  sendSignal(found.pid, isRecovering(found.pid) ? "SIGQUIT" : "SIGINT");
  for (const endsAt = Date.now() + stopTimeoutMs; isAlive(found.pid); await sleep(20)) {
    // SIGQUIT skips the checkpoint; no committed data is lost
    if (Date.now() > endsAt) return sendSignal(found.pid, "SIGQUIT");
  }
  log(`PostgreSQL stopped (pid ${found.pid})`);
}
