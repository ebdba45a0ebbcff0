import fs from "node:fs/promises";
import postgres, { type Sql } from "postgres";
import { afterEach } from "vitest";
import { holdEmbeddedCluster } from "../../app/db/embedded/cluster";
import {
  createDataDir,
  type ServerProcess,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
} from "./server-process";

const { pointSystemId, token, wallet } = SMALL_FIXTURE;

/** The steps that undo what a test has started, the last one first. */
export const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Starts a server with the small fixture, until the test's end. */
export async function startSeededServer(env: Record<string, string> = {}): Promise<ServerProcess> {
  const dataDir = await createDataDir();
  cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
  const server = await startServerProcess({ dataDir, env });
  cleanUps.push(() => server.end("SIGTERM"));
  await seed(dataDir, SMALL_FIXTURE.file);
  return server;
}

/** Asks the database of a running server. */
export async function inDatabase(dataDir: string, ask: (sql: Sql) => Promise<void>): Promise<void> {
  const cluster = await holdEmbeddedCluster({ dataDir });
  const sql = postgres({ ...cluster.connection, max: 1, onnotice: () => {} });
  try {
    await ask(sql);
  } finally {
    await sql.end();
    await cluster.release();
  }
}

/** Reads a wallet over HTTP, the fixture's by default. */
export function getWallet(url: string, address: string = wallet): Promise<Response> {
  return fetch(`${url}/wallet?pointSystemId=${pointSystemId}&address=${address}`, {
    headers: { Authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(10_000),
  });
}
