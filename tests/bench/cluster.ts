import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import postgres, { type Sql } from "postgres";
import { type EmbeddedCluster, holdEmbeddedCluster } from "../../app/db/embedded/cluster";
import { readClusterAddress } from "../support/cluster-address";
import type { Defer } from "./clean-up";

/** A database of the benchmark's cluster. */
export type DatabaseLocation = EmbeddedCluster["connection"];

export interface BenchCluster {
  /** Creates an empty database. */
  readonly createDatabase: (name: string) => Promise<DatabaseLocation>;
}

/** Creates a folder for a server's data that PostgreSQL's user can pass through. */
export function createDataDir(defer: Defer): string {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), "points-bench-"));
  chmodSync(dataDir, 0o755);
  defer(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

/**
 * Starts the embedded PostgreSQL as `npm start` does, with a new data folder. With
 * BENCH_DATABASE_URL it uses that server, whose role must be allowed to create databases.
 */
export async function startCluster(defer: Defer): Promise<BenchCluster> {
  const url = process.env.BENCH_DATABASE_URL;
  const connection = url
    ? { ...readClusterAddress(url), database: "postgres" }
    : await holdCluster(defer);
  const admin = connect(connection);
  defer(() => admin.end({ timeout: 1 }));
  const [row] = await admin<{ version: string }[]>`
    select current_setting('server_version') as version`;
  console.error(`  on PostgreSQL ${row?.version}`);
  return {
    async createDatabase(name) {
      if (url) await admin.unsafe(`drop database if exists "${name}" with (force)`);
      await admin.unsafe(`create database "${name}"`);
      return { ...connection, database: name };
    },
  };
}

async function holdCluster(defer: Defer): Promise<DatabaseLocation> {
  const { connection, release } = await holdEmbeddedCluster({ dataDir: createDataDir(defer) });
  defer(release);
  return connection;
}

/** Opens one connection, for set-up and checks. */
export function connect(location: DatabaseLocation): Sql {
  return postgres({ ...location, max: 1, fetch_types: false, onnotice: () => {} });
}

/** Formats a location as a `DATABASE_URL`. */
export function formatDatabaseUrl(location: DatabaseLocation): string {
  const { host, port, username, password, database } = location;
  const url = new URL(`postgres://localhost:${port}/${database}`);
  url.username = username;
  url.password = password;
  url.searchParams.set("host", host);
  return url.href;
}
