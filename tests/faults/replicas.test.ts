import fs from "node:fs/promises";
import postgres from "postgres";
import { expect, test } from "vitest";
import { commandDatabase, openMigratedDatabase } from "../../app/db/open";
import { loadFixture } from "../../app/services/fixture/load-fixture";
import { hasPostgres15, type Postgres15, startPostgres15 } from "../support/postgres-15";
import { cleanUps, getWallet } from "../support/seeded-server";
import {
  createDataDir,
  fireOverHttp,
  listPostgresProcesses,
  SMALL_FIXTURE,
  startServerProcess,
  waitUntil,
} from "../support/server-process";

const { wallet } = SMALL_FIXTURE;
const NEW_WALLET = "0x00000000000000000000000000000000000000bb";

interface Setting {
  readonly primary: Postgres15;
  readonly replica: Postgres15;
  /** A server that reads from the replica, and one that does not. */
  readonly near: string;
  readonly far: string;
}

async function startPair(): Promise<Setting> {
  const primary = startPostgres15();
  cleanUps.push(async () => primary.end());
  const dataDir = await createDataDir({ isEmpty: true });
  cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
  const DATABASE_URL = primary.url;
  const close = await openMigratedDatabase(
    commandDatabase({ DATABASE_URL, DATA_DIR: dataDir }, () => {}),
  );
  await loadFixture(JSON.parse(JSON.stringify(SMALL_FIXTURE.file)), {
    getGiftCardKeyring: () => {
      throw new Error("The fixture has no gift cards");
    },
  });
  await close();
  const replica = primary.makeStandby();
  cleanUps.push(async () => replica.end());
  const start = async (env: Record<string, string>) => {
    const server = await startServerProcess({ dataDir, env: { DATABASE_URL, ...env } });
    cleanUps.push(() => server.end("SIGTERM"));
    return server.url;
  };
  const near = await start({
    DATABASE_REPLICA_URLS: replica.url,
    DATABASE_REPLICA_LAG_SECONDS: "10",
  });
  const far = await start({ WORKER: "off" });
  await waitUntil(async () => (await readState(near)) === "serving", 20_000);
  return { primary, replica, near, far };
}

async function readState(url: string): Promise<string | undefined> {
  const body = (await (await fetch(`${url}/readyz`)).json()) as { replicas?: { state: string }[] };
  return body.replicas?.[0]?.state;
}

async function readPoints(url: string, address: string = wallet): Promise<number> {
  const response = await getWallet(url, address);
  expect(response.status).toBe(200);
  return ((await response.json()) as { points: number }).points;
}

async function onServer(server: Postgres15, statement: string): Promise<void> {
  const { searchParams } = new URL(server.url);
  const sql = postgres({
    host: searchParams.get("host") ?? "",
    username: "postgres",
    database: "postgres",
    max: 1,
    onnotice: () => {},
  });
  await sql.unsafe(statement);
  await sql.end();
}

test("reads come from a replica, callers see their own credits at once, and a revoked key stops at once", async ({
  skip,
}) => {
  if (!hasPostgres15()) skip("There is no PostgreSQL 15 here");
  const { primary, replica, near, far } = await startPair();
  await onServer(replica, "select pg_wal_replay_pause()");
  // The credit of another instance is not on the paused replica: the replica answers.
  expect((await fireOverHttp(far, wallet)).status).toBe(200);
  expect(await readPoints(near)).toBe(25);
  expect(await readPoints(far)).toBe(35);
  // What the replica lacks is not refused on its word.
  expect((await fireOverHttp(far, NEW_WALLET)).status).toBe(200);
  expect(await readPoints(near, NEW_WALLET)).toBe(10);
  expect((await fireOverHttp(near, wallet)).status).toBe(200);
  expect(await readPoints(near)).toBe(45);
  await waitUntil(async () => (await readState(near)) === "lagging", 40_000);
  expect(await readPoints(near)).toBe(45);
  await onServer(replica, "select pg_wal_replay_resume()");
  await waitUntil(async () => (await readState(near)) === "serving", 20_000);
  expect(await readPoints(near)).toBe(45);
  await onServer(replica, "select pg_wal_replay_pause()");
  await onServer(primary, "delete from api_key_point_systems; delete from api_keys");
  expect((await getWallet(near)).status).toBe(401);
});

test("no call breaks while a replica hangs, is killed, returns and is promoted", async ({
  skip,
}) => {
  if (!hasPostgres15()) skip("There is no PostgreSQL 15 here");
  const { replica, near } = await startPair();
  const broken: number[] = [];
  let isOver = false;
  const read = async () => {
    while (!isOver) {
      const { status } = await getWallet(near);
      if (status !== 200) broken.push(status);
    }
  };
  const readers = [read(), read(), read(), read()];
  const reach = (state: string) => waitUntil(async () => (await readState(near)) === state, 30_000);
  try {
    const stopped = listPostgresProcesses(replica.pid());
    for (const pid of stopped) process.kill(pid, "SIGSTOP");
    await reach("away");
    for (const pid of stopped) process.kill(pid, "SIGCONT");
    await reach("serving");
    process.kill(replica.pid(), "SIGQUIT");
    await reach("away");
    replica.start();
    await reach("serving");
    replica.promote();
    await reach("promoted");
  } finally {
    isOver = true;
    await Promise.all(readers);
  }
  expect(broken).toEqual([]);
});
