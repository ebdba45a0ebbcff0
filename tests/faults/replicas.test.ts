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

const { pointSystemId, token, wallet } = SMALL_FIXTURE;
const NEW_WALLET = "0x00000000000000000000000000000000000000bb";

const MANAGE_TOKEN = "rw_00000000000000000000000000000002";

const readFrom = (replica: Postgres15) => ({
  DATABASE_REPLICA_URLS: replica.url,
  DATABASE_REPLICA_LAG_SECONDS: "10",
});

/**
 * Starts a primary with the fixture. Its servers are started by `start`, which returns their URL.
 * @param fields more fields of its point system
 */
async function startPrimary(fields: object = {}) {
  const primary = startPostgres15();
  cleanUps.push(async () => primary.end());
  const dataDir = await createDataDir({ isEmpty: true });
  cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
  const DATABASE_URL = primary.url;
  const close = await openMigratedDatabase(
    commandDatabase({ DATABASE_URL, DATA_DIR: dataDir }, () => {}),
  );
  const { file } = SMALL_FIXTURE;
  const pointSystems = [{ ...file.pointSystems[0], ...fields }];
  const manager = { ...file.apiKeys[0], name: "manager", key: MANAGE_TOKEN, permission: "manage" };
  const apiKeys = [...file.apiKeys, manager];
  await loadFixture(JSON.parse(JSON.stringify({ ...file, pointSystems, apiKeys })), {
    getKeyring: () => {
      throw new Error("The fixture has no gift cards");
    },
  });
  await close();
  const start = async (env: Record<string, string>) => {
    const server = await startServerProcess({ dataDir, env: { DATABASE_URL, ...env } });
    cleanUps.push(() => server.end("SIGTERM"));
    return server.url;
  };
  return { primary, start };
}

function makeStandby(of: Postgres15): Postgres15 {
  const standby = of.makeStandby();
  cleanUps.push(async () => standby.end());
  return standby;
}

/**
 * Starts a server that reads from a replica, `near`, and one that does not, `far`.
 * @param fields more fields of the point system
 */
async function startPair(fields: object = {}) {
  const { primary, start } = await startPrimary(fields);
  const replica = makeStandby(primary);
  const near = await start(readFrom(replica));
  const far = await start({ WORKER: "off" });
  await reach(near, "serving");
  return { primary, replica, near, far };
}

const reach = (url: string, state: string) =>
  waitUntil(async () => (await readState(url)) === state, 40_000);

async function readState(url: string): Promise<string | undefined> {
  const body = (await (await fetch(`${url}/readyz`)).json()) as { replicas?: { state: string }[] };
  return body.replicas?.[0]?.state;
}

async function readPoints(url: string, address: string = wallet): Promise<number> {
  const response = await getWallet(url, address);
  expect(response.status).toBe(200);
  return ((await response.json()) as { points: number }).points;
}

async function onServer(
  server: Postgres15,
  statement: string,
): Promise<postgres.RowList<postgres.Row[]>> {
  const { searchParams } = new URL(server.url);
  const sql = postgres({
    host: searchParams.get("host") ?? "",
    username: "postgres",
    database: "postgres",
    max: 1,
    onnotice: () => {},
  });
  const rows = await sql.unsafe(statement);
  await sql.end();
  return rows;
}

const call = (url: string, path: string, body?: object, key: string = token) =>
  fetch(url + path, {
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    ...(body && { method: "POST", body: JSON.stringify({ pointSystemId, ...body }) }),
  });

async function readBalance(url: string): Promise<number> {
  const response = await call(url, `/balance?pointSystemId=${pointSystemId}&address=${wallet}`);
  return ((await response.json()) as { balance: number }).balance;
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
  await reach(near, "lagging");
  expect(await readPoints(near)).toBe(45);
  await onServer(replica, "select pg_wal_replay_resume()");
  await reach(near, "serving");
  expect(await readPoints(near)).toBe(45);
  await onServer(replica, "select pg_wal_replay_pause()");
  await onServer(primary, "delete from api_key_point_systems; delete from api_keys");
  expect((await getWallet(near)).status).toBe(401);
});

test("a board that was counted since is read, though the replica still says that it is being counted", async ({
  skip,
}) => {
  if (!hasPostgres15()) skip("There is no PostgreSQL 15 here");
  const { primary, start } = await startPrimary({ boards: [{ kind: "weekly" }] });
  const replica = makeStandby(primary);
  // Without a worker, the board stays as it is set here.
  const setReady = (isReady: boolean) =>
    onServer(primary, `update board_windows set is_ready = ${isReady}`);
  await setReady(false);
  const near = await start({ ...readFrom(replica), WORKER: "off" });
  await reach(near, "serving");
  const read = () => call(near, `/leaderboard?pointSystemId=${pointSystemId}&board=weekly`);
  await waitUntil(async () => {
    const rows = await onServer(replica, "select from board_windows where not is_ready");
    return rows.length === 1;
  }, 10_000);
  expect((await read()).status).toBe(503);
  await onServer(replica, "select pg_wal_replay_pause()");
  await setReady(true);
  expect((await read()).status).toBe(200);
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
  try {
    const stopped = listPostgresProcesses(replica.pid());
    for (const pid of stopped) process.kill(pid, "SIGSTOP");
    await reach(near, "away");
    for (const pid of stopped) process.kill(pid, "SIGCONT");
    await reach(near, "serving");
    process.kill(replica.pid(), "SIGQUIT");
    await reach(near, "away");
    replica.start();
    await reach(near, "serving");
    replica.promote();
    await reach(near, "promoted");
  } finally {
    isOver = true;
    await Promise.all(readers);
  }
  expect(broken).toEqual([]);
});

test("spends and reversals are seen by their caller at once, while the replica is behind", async ({
  skip,
}) => {
  if (!hasPostgres15()) skip("There is no PostgreSQL 15 here");
  const { replica, near, far } = await startPair();
  await onServer(replica, "select pg_wal_replay_pause()");
  const spend = (url: string) =>
    call(url, "/spend", { walletAddress: wallet, points: 5, reason: "Coffee" });
  // The spend of another instance is not on the paused replica, which answers.
  expect((await spend(far)).status).toBe(200);
  expect(await readBalance(near)).toBe(25);
  const answer = await spend(near);
  expect(answer.status).toBe(200);
  const { spendId } = (await answer.json()) as { spendId: string };
  expect(await readBalance(near)).toBe(15);
  expect((await call(near, "/spend/reverse", { spendId })).status).toBe(200);
  expect(await readBalance(near)).toBe(20);
});

test("what operators change in campaigns is seen at once, while the replica is behind", async ({
  skip,
}) => {
  if (!hasPostgres15()) skip("There is no PostgreSQL 15 here");
  const rewardId = "22222222-2222-4222-8222-222222222222";
  const draft = {
    ...{ kind: "token", id: rewardId, campaignName: "Season one", status: "draft" },
    ...{ tokenType: "solana", tokenSymbol: "SOL", tokenDecimals: 9, totalAmount: "1" },
  };
  const { replica, near } = await startPair({ rewards: [draft] });
  await onServer(replica, "select pg_wal_replay_pause()");
  const list = async () => {
    const answer = await call(near, `/rewards?pointSystemId=${pointSystemId}`);
    return ((await answer.json()) as { rewards: { id: string }[] }).rewards.map(({ id }) => id);
  };
  expect(await list()).toEqual([]);
  const query = new URLSearchParams({ pointSystemId, rewardId });
  const found = await call(near, `/api/manage/v1/campaign?${query}`, undefined, MANAGE_TOKEN);
  const { terms } = (await found.json()) as { terms: string };
  const path = "/api/manage/v1/campaigns/publish";
  expect((await call(near, path, { rewardId, terms }, MANAGE_TOKEN)).status).toBe(200);
  expect(await list()).toEqual([rewardId]);
});

test("a replica that follows another server, or lacks this version's migration, answers no read until it is right", async ({
  skip,
}) => {
  if (!hasPostgres15()) skip("There is no PostgreSQL 15 here");
  const { primary, start } = await startPrimary();
  const replica = makeStandby(primary);
  // The migration of the version before is the last that the replica has.
  const isBefore = "fingerprint = repeat('0', 64)";
  await onServer(primary, `update drizzle.served_schemas set ${isBefore}`);
  await waitUntil(async () => {
    const rows = await onServer(replica, `select from drizzle.served_schemas where ${isBefore}`);
    return rows.length === 1;
  }, 10_000);
  await onServer(replica, "select pg_wal_replay_pause()");
  const near = await start(readFrom(replica));
  await reach(near, "other version");
  expect(await readPoints(near)).toBe(25);
  await onServer(replica, "select pg_wal_replay_resume()");
  await reach(near, "serving");

  const promoted = makeStandby(primary);
  promoted.promote();
  const follower = makeStandby(promoted);
  const astray = await start(readFrom(follower));
  await reach(astray, "other database");
  expect(await readPoints(astray)).toBe(25);
  const moved = await start({ DATABASE_URL: promoted.url, ...readFrom(follower) });
  await reach(moved, "serving");
});
