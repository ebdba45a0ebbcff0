import { spawn } from "node:child_process";
import fs from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { afterEach, expect, test } from "vitest";
import { holdEmbeddedCluster } from "../../app/db/embedded/cluster";
import {
  createDataDir,
  findPostmaster,
  fireOverHttp,
  listPostgresProcesses,
  runCommand,
  type ServerProcess,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
  waitUntil,
} from "../support/server-process";

const { pointSystemId, token, wallet } = SMALL_FIXTURE;
const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function start(env: Record<string, string> = {}): Promise<ServerProcess> {
  const dataDir = await createDataDir();
  cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
  const server = await startServerProcess({ dataDir, env });
  cleanUps.push(() => server.end("SIGTERM"));
  await seed(dataDir, SMALL_FIXTURE.file);
  return server;
}

function getWallet(url: string): Promise<Response> {
  return fetch(`${url}/wallet?pointSystemId=${pointSystemId}&address=${wallet}`, {
    headers: { Authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(10_000),
  });
}

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s lets requests under way end, then stops everything that was started",
  async (signal) => {
    const server = await start();
    const postmaster = findPostmaster(server.dataDir);
    expect(postmaster).not.toBeNull();
    let isStopping = false;
    const statuses: number[] = [];
    const lost: unknown[] = [];
    const load = Array.from({ length: 16 }, async (_, i) => {
      for (let n = 0; !isStopping; n += 1) {
        const address = `0x${(i * 100_000 + n).toString(16).padStart(40, "0")}`;
        await fireOverHttp(server.url, address).then(
          (response) => statuses.push(response.status),
          // A refused connection is fine. A call that was accepted and then cut off is not.
          (error) => error.cause?.code === "ECONNREFUSED" || isStopping || lost.push(error),
        );
      }
    });
    await sleep(700);
    isStopping = true;
    const code = await server.end(signal);
    await Promise.all(load);
    expect(code).toBe(0);
    expect(lost).toEqual([]);
    expect(statuses.length).toBeGreaterThan(20);
    expect(statuses.every((status) => status === 200)).toBe(true);
    await waitUntil(() => findPostmaster(server.dataDir) === null, 5_000);
  },
);

test("kill -9 of the server leaves no PostgreSQL behind, and the next start has all the data", async () => {
  const server = await start();
  expect((await fireOverHttp(server.url, wallet)).status).toBe(200);
  await server.end("SIGKILL");
  await waitUntil(() => findPostmaster(server.dataDir) === null, 10_000);
  const next = await startServerProcess({ dataDir: server.dataDir });
  cleanUps.push(() => next.end("SIGTERM"));
  expect(await (await getWallet(next.url)).json()).toMatchObject({ points: 35, events: 2 });
});

test("a stopped database answers 503 with Retry-After within 5 s, and all is well 3 s after its return", async () => {
  const server = await start();
  const postmaster = findPostmaster(server.dataDir) as number;
  await Promise.all(Array.from({ length: 20 }, () => getWallet(server.url)));
  const stopped = listPostgresProcesses(postmaster);
  for (const pid of stopped) process.kill(pid, "SIGSTOP");
  try {
    const stoppedAt = Date.now();
    const asked: Promise<void>[] = [];
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
  const server = await start();
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
  const server = await start();
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

test("an unexpected failure answers 500 without detail and is logged with its request id", async () => {
  const server = await start();
  const cluster = await holdEmbeddedCluster({ dataDir: server.dataDir });
  const sql = postgres({ ...cluster.connection, max: 1, onnotice: () => {} });
  await sql`alter table wallets rename column events to happenings`;
  const response = await getWallet(server.url);
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({
    error: "Internal server error",
    message: "Internal server error",
    code: "internal_error",
  });
  const requestId = response.headers.get("x-request-id");
  const findLine = () => server.logLines().find((line) => line.err && line.requestId === requestId);
  await waitUntil(() => findLine() !== undefined, 3_000);
  expect(JSON.stringify(findLine())).not.toContain(wallet.slice(2));
  await sql`alter table wallets rename column happenings to events`;
  await sql.end();
  await cluster.release();
  expect((await getWallet(server.url)).status).toBe(200);
});

test("a second instance on the same data joins; the first may leave without it", async () => {
  const first = await start();
  const second = await startServerProcess({ dataDir: first.dataDir });
  cleanUps.push(() => second.end("SIGTERM"));
  expect((await fireOverHttp(first.url, wallet)).status).toBe(200);
  expect(await (await getWallet(second.url)).json()).toMatchObject({ points: 35 });
  await first.end("SIGTERM");
  expect((await fireOverHttp(second.url, wallet)).status).toBe(200);
});

test("a taken port is said in words, and nothing is left running", async () => {
  const first = await start();
  const dataDir = await createDataDir();
  cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
  const port = new URL(first.url).port;
  await expect(startServerProcess({ dataDir, env: { PORT: port } })).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is taken by another program. Set PORT to another one.`,
  );
  expect(findPostmaster(dataDir)).toBeNull();
});

test("a wrong environment is refused at start, every bad variable named at once", async () => {
  const child = spawn(process.execPath, ["build/server/main.js"], {
    env: {
      ...process.env,
      PORT: "http",
      DATABASE_URL: "mysql://x",
      APP_ORIGIN: "http://points.example.com",
      SAFE_APP_ORIGIN: "https://app.safe.global, https://safe.example.com/",
      LOG_LEVEL: "loud",
      DATABASE_CONNECTIONS_MAX: "0",
      GIFT_CARD_KEYS: `k1:${"0".repeat(64)}`,
    },
  });
  let output = "";
  child.stderr.on("data", (chunk) => {
    output += chunk;
  });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  expect(code).toBe(1);
  for (const name of [
    "PORT",
    "DATABASE_URL",
    "APP_ORIGIN",
    "SAFE_APP_ORIGIN.1",
    "LOG_LEVEL",
    "DATABASE_CONNECTIONS_MAX",
    "GIFT_CARD_KEYS",
  ]) {
    expect(output).toContain(`  ${name}: `);
  }
  expect(output).not.toContain("mysql://x");
});

test("ledger:verify is silent on a true ledger and exits 1 naming what differs", async () => {
  const server = await start();
  await fireOverHttp(server.url, wallet);
  const env = { DATA_DIR: server.dataDir };
  const verify = () => runCommand(["app/commands/ledger-verify.ts"], env);
  expect((await verify()).stdout).toContain("all as the events say");
  const cluster = await holdEmbeddedCluster({ dataDir: server.dataDir });
  const sql = postgres({ ...cluster.connection, max: 1, onnotice: () => {} });
  await sql`update wallets set points = points + 1`;
  await sql`update point_system_totals set events = events - 1`;
  await expect(verify()).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(
      new RegExp(`total of events is 1, should be 2[^]*${wallet}: points is 36, should be 35`),
    ),
  });
  await expect(sql`update point_events set points = 1`).rejects.toThrow("append-only");
  await expect(sql`delete from point_events`).rejects.toThrow("append-only");
  await expect(sql`truncate point_events`).rejects.toThrow("append-only");
  await sql.end();
  await cluster.release();
});
