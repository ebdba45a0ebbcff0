import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import type { DatabaseAddress } from "../../app/db/pool";
import { ARCHIVE, DEBIAN_ROOTS } from "../citus-files.mjs";
import type { ClusterAddress } from "./cluster-address";
import { findFreePort } from "./free-port";

// A coordinator and two workers of Citus, on this machine.

const isRoot = process.getuid?.() === 0;
/** The shards of each table: enough to have several on each worker. */
export const SHARDS = 4;
const SETTINGS = `
listen_addresses = '127.0.0.1'
shared_preload_libraries = 'citus'
wal_level = logical
fsync = off
shared_buffers = 64MB
max_connections = 300
max_prepared_transactions = 300
max_worker_processes = 64
max_replication_slots = 20
max_wal_senders = 20
max_logical_replication_workers = 20
# Else each extension writes a certificate, two at once one that fits no key.
citus.node_conninfo = 'sslmode=disable'
citus.shard_count = ${SHARDS}
citus.enable_statistics_collection = off
`;

/** The settings that `npm run db:distribute` gives a database. A copy of the database does not have them. */
export const SETTINGS_OF_DISTRIBUTED = `
citus.enable_unsafe_triggers = on
citus.enable_manual_changes_to_shards = on
citus.max_adaptive_executor_pool_size = 1
citus.enable_local_reference_table_foreign_keys = off
`;

export interface CitusNode {
  readonly address: ClusterAddress;
  /** The folder of its data. */
  readonly data: string;
  /** Kills every process of the node by SIGKILL. */
  readonly kill: () => void;
  /** Starts it, on its data or on those of another folder. */
  readonly start: (data?: string) => void;
}

export interface Citus {
  readonly coordinator: CitusNode;
  readonly workers: readonly CitusNode[];
  /** Runs a program of PostgreSQL. */
  readonly run: (program: string, ...args: string[]) => void;
  readonly createDatabase: (name: string) => Promise<void>;
  /** Ends Citus' own sessions in a database, which nobody may enter from then on. */
  readonly closeDatabase: (name: string) => Promise<void>;
  readonly end: () => void;
}

/** Runs statements on each node. */
export async function runOn(
  nodes: readonly ClusterAddress[],
  database: string,
  ...statements: string[]
): Promise<void> {
  await Promise.all(
    nodes.map(async (node) => {
      const sql = postgres({ ...node, database, max: 1, onnotice: () => {} });
      try {
        for (const statement of statements) await sql.unsafe(statement);
      } finally {
        await sql.end();
      }
    }),
  );
}

/**
 * Creates an empty database with Citus on the coordinator, which is the first of the nodes, and on its workers. One is
 * created after the other, in all processes: citus_add_node writes the roles of the workers, which fails beside another.
 */
export async function createCitusDatabase(
  nodes: readonly ClusterAddress[],
  name: string,
): Promise<void> {
  const [coordinator, ...workers] = nodes as [ClusterAddress, ...ClusterAddress[]];
  const turn = postgres({ ...coordinator, database: "postgres", max: 1 });
  try {
    await turn`select pg_advisory_lock(1)`;
    await runOn(nodes, "postgres", `create database ${name}`);
    await runOn(nodes, name, "create extension citus");
    await runOn(
      [coordinator],
      name,
      `select citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`,
      ...workers.map(({ port }) => `select citus_add_node('127.0.0.1', ${port})`),
    );
  } finally {
    await turn.end();
  }
}

/** Writes an address as DATABASE_URL. */
export function toUrl(address: DatabaseAddress): string {
  const { host, port, username, database } = address as ClusterAddress & { database: string };
  return `postgres://${username}@${host}:${port}/${database}`;
}

/** Runs a program of PostgreSQL as a user that it accepts. */
function run(bin: string, program: string, args: readonly string[]): void {
  const command = [path.join(bin, program), ...args];
  const [file = "", ...rest] = isRoot ? ["runuser", "-u", "postgres", "--", ...command] : command;
  execFileSync(file, rest, { stdio: "ignore", cwd: "/" });
}

/** Kills a postmaster and its children, which it can no longer end by itself. */
function killAll(postmaster: number): void {
  const children = readdirSync("/proc").filter((name) => {
    try {
      const stat = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/stat`, "utf8") : "";
      return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === postmaster;
    } catch {
      return false; // It has ended.
    }
  });
  for (const pid of [postmaster, ...children.map(Number)]) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}

/** Returns the folder of the programs: CITUS_BIN, or a copy of Debian's with the archive unpacked over it. */
function prepareBin(folder: string): string {
  if (process.env.CITUS_BIN) return process.env.CITUS_BIN;
  for (const root of DEBIAN_ROOTS) {
    mkdirSync(path.join(folder, path.dirname(root)), { recursive: true });
    cpSync(`/${root}`, path.join(folder, root), { recursive: true, dereference: true });
  }
  execFileSync("tar", ["xJf", ARCHIVE, "-C", folder]);
  return path.join(folder, "usr/lib/postgresql/15/bin");
}

/** Starts a killed node as soon as its processes have let go of its memory and its port. */
export async function startAgain(start: () => void): Promise<void> {
  for (let n = 0; ; n += 1) {
    try {
      return start();
    } catch (error) {
      if (n === 20) throw error;
      await sleep(250);
    }
  }
}

/** Starts a coordinator and its workers. */
export async function startCitus({ settings = "", workers: count = 2 } = {}): Promise<Citus> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "points-citus-"));
  chmodSync(folder, 0o755);
  const bin = prepareBin(folder);
  if (isRoot) execFileSync("chown", ["postgres", folder]);
  const nodes: CitusNode[] = [];
  /** The folders of the nodes that run. */
  const running = new Map<string, string>();
  for (const name of [
    "coordinator",
    ...Array.from({ length: count }, (_, i) => `worker-${i + 1}`),
  ]) {
    const data = path.join(folder, name);
    const port = await findFreePort();
    run(bin, "initdb", [
      "-D",
      data,
      "-U",
      "postgres",
      "-A",
      "trust",
      "-N",
      "--encoding=UTF8",
      "--locale=C",
    ]);
    appendFileSync(
      path.join(data, "postgresql.conf"),
      `${SETTINGS}\nport = ${port}\nunix_socket_directories = '${folder}'\n${settings}\n`,
    );
    const start = (at = data) => {
      running.set(name, at);
      run(bin, "pg_ctl", ["-D", at, "-w", "-l", `${folder}/${name}.log`, "start"]);
    };
    start();
    nodes.push({
      address: { host: "127.0.0.1", port, username: "postgres", password: "" },
      data,
      kill() {
        const pid = readFileSync(`${running.get(name)}/postmaster.pid`, "utf8").split("\n")[0];
        killAll(Number(pid));
      },
      start,
    });
  }
  const [coordinator, ...workers] = nodes as [CitusNode, ...CitusNode[]];
  return {
    coordinator,
    workers,
    run: (program, ...args) => run(bin, program, args),
    createDatabase: (name) =>
      createCitusDatabase(
        nodes.map(({ address }) => address),
        name,
      ),
    closeDatabase: (name) =>
      runOn(
        nodes.map(({ address }) => address),
        "postgres",
        `alter database ${name} allow_connections false`,
        `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
      ),
    end() {
      for (const data of running.values()) {
        try {
          run(bin, "pg_ctl", ["-D", data, "-m", "immediate", "-w", "stop"]);
        } catch {
          // The test has ended it.
        }
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
