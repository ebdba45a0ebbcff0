import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { expect, test } from "vitest";
import { holdEmbeddedCluster } from "../../app/db/embedded/cluster";
import { cleanUps, getWallet, inDatabase, startSeededServer } from "../support/seeded-server";
import {
  findPostmaster,
  fireOverHttp,
  listPostgresProcesses,
  SMALL_FIXTURE,
  waitUntil,
} from "../support/server-process";

const { pointSystemId, token, wallet } = SMALL_FIXTURE;

test("calls that wait for the database do not make a server unready", async () => {
  const server = await startSeededServer();
  await inDatabase(server.dataDir, async (sql) => {
    await sql.begin(async (tx) => {
      await tx`lock table point_events, wallets in access exclusive mode`;
      const headers = { Authorization: `Bearer ${token}` };
      const calls = Array.from({ length: 32 }, () =>
        fetch(`${server.url}/activity?pointSystemId=${pointSystemId}`, { headers }),
      );
      for (let n = 0; n < 5; n += 1) {
        expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
        await sleep(500);
      }
      for (const call of calls) expect((await call).status).toBe(503);
    });
  });
});

test("a database that takes no write makes a server unready, and is one line of the log, with the cause", async () => {
  const server = await startSeededServer();
  const readyz = async () => (await fetch(`${server.url}/readyz`)).status;
  expect(await readyz()).toBe(200);
  await inDatabase(server.dataDir, async (sql) => {
    await sql`alter system set default_transaction_read_only = on`;
    await sql`select pg_reload_conf()`;
    await waitUntil(async () => (await readyz()) === 503, 10_000);
    for (let n = 0; n < 20; n += 1) {
      expect((await fireOverHttp(server.url, wallet)).status).toBe(503);
    }
    await sql`set default_transaction_read_only = off`;
    await sql`alter system reset default_transaction_read_only`;
    await sql`select pg_reload_conf()`;
    await waitUntil(async () => (await readyz()) === 200, 10_000);
    expect((await fireOverHttp(server.url, wallet)).status).toBe(200);
  });
  await sleep(500);
  const errors = server.logLines().filter((line) => line.err);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatchObject({
    msg: "the database is unavailable",
    err: { code: "25006", message: expect.stringContaining("in a read-only transaction") },
  });
});

test("a stopped database answers 503 with Retry-After within 5 s, and all is well 3 s after its return", async () => {
  const server = await startSeededServer();
  const postmaster = findPostmaster(server.dataDir) as number;
  await Promise.all(Array.from({ length: 20 }, () => getWallet(server.url)));
  const stopped = listPostgresProcesses(postmaster);
  for (const pid of stopped) process.kill(pid, "SIGSTOP");
  try {
    const stoppedAt = Date.now();
    const page = fetch(`${server.url}/claim/${pointSystemId}`).then(({ status, headers }) => {
      expect([status, Number(headers.get("retry-after"))]).toEqual([
        503,
        expect.toSatisfy((seconds) => seconds >= 1),
      ]);
    });
    const asked = [page];
    while (Date.now() - stoppedAt < 8_000) {
      for (const ask of [() => getWallet(server.url), () => fireOverHttp(server.url, wallet)]) {
        const askedAt = Date.now();
        asked.push(
          ask().then(async (response) => {
            expect(Date.now() - askedAt).toBeLessThan(5_000);
            expect(response.status).toBe(503);
            expect(Number(response.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
            expect(await response.json()).toMatchObject({ error: "Service unavailable" });
          }),
        );
      }
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
      await sleep(100);
    }
    await Promise.all(asked);
  } finally {
    for (const pid of stopped) {
      try {
        process.kill(pid, "SIGCONT");
      } catch {
        // The process has ended.
      }
    }
  }
  const returnedAt = Date.now();
  await waitUntil(async () => (await getWallet(server.url)).status === 200, 3_000);
  const address = "0x00000000000000000000000000000000000000cc";
  await waitUntil(
    async () => (await fireOverHttp(server.url, address)).status === 200,
    3_000 - (Date.now() - returnedAt),
  );
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
});

test("one connection that hangs stops neither reads nor, after 10 s, what went over it", async () => {
  const server = await startSeededServer();
  expect((await fireOverHttp(server.url, wallet)).status).toBe(200);
  const cluster = await holdEmbeddedCluster({ dataDir: server.dataDir });
  const sql = postgres({ ...cluster.connection, max: 1, onnotice: () => {} });
  cleanUps.push(
    () => cluster.release(),
    () => sql.end(),
  );
  const [creditor] = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where query like '%credit_points%' and pid <> pg_backend_pid()`;
  const pid = creditor?.pid as number;
  process.kill(pid, "SIGSTOP");
  cleanUps.push(async () => process.kill(pid, "SIGCONT"));
  const refused = fireOverHttp(server.url, wallet);
  expect((await getWallet(server.url)).status).toBe(200);
  expect((await refused).status).toBe(503);
  const address = "0x00000000000000000000000000000000000000cc";
  await waitUntil(async () => (await fireOverHttp(server.url, address)).status === 200, 10_000);
  expect((await getWallet(server.url)).status).toBe(200);
});

test("a killed database is brought back without a restart, within 3 s", async () => {
  const server = await startSeededServer();
  process.kill(findPostmaster(server.dataDir) as number, "SIGKILL");
  const killedAt = Date.now();
  await waitUntil(async () => {
    const askedAt = Date.now();
    const { status } = await getWallet(server.url);
    expect(Date.now() - askedAt).toBeLessThan(5_000);
    expect([200, 503]).toContain(status);
    return status === 200 && Date.now() - killedAt > 300;
  }, 3_500);
  expect((await fireOverHttp(server.url, wallet)).status).toBe(200);
});
