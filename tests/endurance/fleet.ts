import { spawn } from "node:child_process";
import fs from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import postgres from "postgres";
import { holdEmbeddedCluster } from "../../app/db/embedded/cluster";
import {
  findPostmaster,
  listPostgresProcesses,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
  waitUntil,
} from "../support/server-process";
import { createDisk } from "./disk";
import { startProxy, type Target } from "./proxy";
import type { Random } from "./random";

const READY_MS_MAX = 120_000;

/** A process of the service that is started again whenever it is killed. */
interface Keeper {
  /** Ends it once, for the next to begin. */
  readonly kill: (signal?: "SIGTERM" | "SIGKILL") => Promise<void>;
  readonly stop: (signal: "SIGTERM" | "SIGKILL") => Promise<void>;
}

/**
 * Starts PostgreSQL, two servers and a worker. A proxy stands before each server, and one before the database.
 * @param diskMebibytes the size of the disk of PostgreSQL's data
 */
export async function startFleet(random: Random, diskMebibytes: number) {
  const disk = await createDisk(diskMebibytes);
  const dataDir = disk.folder;
  const clockFile = path.join(dataDir, "clock");
  await fs.writeFile(clockFile, "0");
  const cluster = await holdEmbeddedCluster({
    dataDir,
    settings: { max_wal_size: "256MB", min_wal_size: "64MB" },
  });
  await seed(dataDir, SMALL_FIXTURE.file);
  const sql = postgres({ ...cluster.connection, max: 1, onnotice: () => {} });
  await sql.unsafe(`
    create schema moved;
    create table moved.clock (ahead interval not null);
    insert into moved.clock values ('0');
    grant usage on schema moved to public;
    grant select on moved.clock to public;
    create function moved.clock_timestamp() returns timestamptz language sql volatile
      as 'select pg_catalog.clock_timestamp() + (select ahead from moved.clock)';
    create function moved.statement_timestamp() returns timestamptz language sql stable
      as 'select pg_catalog.statement_timestamp() + (select ahead from moved.clock)';
    alter database "${cluster.connection.database}" set search_path to moved, public, pg_catalog`);

  const { host, port, username, password, database } = cluster.connection;
  const socket: Target = host.startsWith("/")
    ? { path: path.join(host, `.s.PGSQL.${port}`) }
    : { port };
  const databaseProxy = await startProxy(random, socket);
  const url = new URL(`postgres://127.0.0.1:${databaseProxy.port}/${database}`);
  url.username = username;
  url.password = password;
  const env = {
    DATABASE: "url",
    DATABASE_URL: url.href,
    DATABASE_TLS: "off",
    LOG_LEVEL: "error",
    CLOCK_FILE: clockFile,
    NODE_OPTIONS: `--import=${pathToFileURL(path.join(import.meta.dirname, "shift-clock.mjs"))}`,
  };

  const startServer = async () => {
    const proxy = await startProxy(random, { port: 9 });
    const launch = () => startServerProcess({ dataDir, env: { ...env, WORKER: "off" } });
    let server = await launch();
    const lead = () => proxy.lead({ port: Number(new URL(server.url).port) });
    lead();
    return {
      proxy,
      url: `http://127.0.0.1:${proxy.port}`,
      isReady: () =>
        fetch(`${server.url}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
          ({ ok }) => ok,
          () => false,
        ),
      listUnexpectedErrors: () =>
        server
          .logLines()
          .filter(({ msg }) => msg === "unexpected error")
          .map((line) => JSON.stringify(line)),
      memoryKilobytes: () => readMemory(server.process.pid as number),
      countFiles: async () => (await fs.readdir(`/proc/${server.process.pid}/fd`)).length,
      async kill() {
        server.process.kill("SIGKILL");
        await server.exited;
        // A database that is away, or a full disk, ends a start.
        for (let next = null; next === null; ) {
          next = await launch().catch(() => null);
          server = next ?? server;
        }
        lead();
      },
      async stop(signal: "SIGTERM" | "SIGKILL") {
        await server.end(signal);
        await proxy.close();
      },
    };
  };
  const servers = [await startServer(), await startServer()] as const;
  const worker = startWorker({ ...env, DATA_DIR: dataDir });

  return {
    dataDir,
    sql,
    servers,
    worker,
    databaseProxy,
    disk,
    killDatabase() {
      const postmaster = findPostmaster(dataDir);
      if (postmaster !== null) process.kill(postmaster, "SIGKILL");
    },
    /** Kills one process of a connection: PostgreSQL then ends all others by itself, and recovers. */
    killDatabaseProcess() {
      const postmaster = findPostmaster(dataDir);
      if (postmaster === null) return;
      const pid = random.pick(listPostgresProcesses(postmaster).slice(1));
      try {
        if (pid !== undefined) process.kill(pid, "SIGKILL");
      } catch (error) {
        // It may have ended since it was listed.
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
      }
    },
    /** Moves the clock of the database and of all processes. */
    async moveClock(aheadMs: number) {
      await fs.writeFile(clockFile, String(aheadMs));
      await sql`update moved.clock set ahead = ${aheadMs} * interval '1 ms'`;
    },
    waitUntilReady: () =>
      waitUntil(
        async () => (await Promise.all(servers.map(({ isReady }) => isReady()))).every(Boolean),
        READY_MS_MAX,
      ),
    /** Stops all, or kills what is left, and removes it. */
    async stop(signal: "SIGTERM" | "SIGKILL") {
      await Promise.all([...servers, worker].map(({ stop }) => stop(signal)));
      await databaseProxy.close();
      await sql.end({ timeout: 1 });
      await cluster.release();
      await disk.remove();
    },
  };
}

export type Fleet = Awaited<ReturnType<typeof startFleet>>;

/** Starts `npm run worker`, and again whenever it ends. */
export function startWorker(env: Record<string, string>): Keeper {
  let isStopping = false;
  const start = () => {
    const child = spawn(process.execPath, ["build/server/worker-main.js"], {
      stdio: "ignore",
      env: { ...process.env, ...env },
    });
    const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    void exited.then(() => {
      setTimeout(() => {
        if (!isStopping) running = start();
      }, 500);
    });
    return { child, exited };
  };
  let running = start();
  return {
    async kill(signal = "SIGKILL") {
      running.child.kill(signal);
      await running.exited;
    },
    async stop(signal) {
      isStopping = true;
      running.child.kill(signal);
      await running.exited;
    },
  };
}

async function readMemory(pid: number): Promise<number> {
  const status = await fs.readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]);
}
