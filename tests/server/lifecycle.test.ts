import { spawn } from "node:child_process";
import fs from "node:fs/promises";
import http from "node:http";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import postgres, { type Sql } from "postgres";
import { afterEach, expect, test } from "vitest";
import { holdEmbeddedCluster } from "../../app/db/embedded/cluster";
import { callUntilRefused } from "../support/http-load";
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

/** Asks the database of a running server. */
async function inDatabase(dataDir: string, ask: (sql: Sql) => Promise<void>): Promise<void> {
  const cluster = await holdEmbeddedCluster({ dataDir });
  const sql = postgres({ ...cluster.connection, max: 1, onnotice: () => {} });
  try {
    await ask(sql);
  } finally {
    await sql.end();
    await cluster.release();
  }
}

function getWallet(url: string): Promise<Response> {
  return fetch(`${url}/wallet?pointSystemId=${pointSystemId}&address=${wallet}`, {
    headers: { Authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(10_000),
  });
}

test("a stop breaks no call of 32 callers and doubles none, in 8 rounds", async () => {
  let server = await start();
  const outcomes: (number | string)[] = [];
  for (let round = 1; round <= 8; round += 1) {
    const load = callUntilRefused(server.url, { callers: 32, round });
    await sleep(500);
    expect(await server.end(round % 2 ? "SIGTERM" : "SIGINT")).toBe(0);
    await load.hasEnded;
    expect(load.outcomes.length).toBeGreaterThan(20);
    outcomes.push(...load.outcomes);
    expect(findPostmaster(server.dataDir)).toBeNull();
    server = await startServerProcess({ dataDir: server.dataDir });
    cleanUps.push(() => server.end("SIGTERM"));
  }
  expect(outcomes.filter((outcome) => outcome !== 200)).toEqual([]);
  await inDatabase(server.dataDir, async (sql) => {
    const [stored] = await sql`
      select count(*)::int as events, count(distinct address)::int as wallets from point_events`;
    // One event is the fixture's.
    expect(stored).toEqual({ events: outcomes.length + 1, wallets: outcomes.length + 1 });
  });
});

test("a probed server is not ready for DRAIN_SECONDS and serves meanwhile, on connections that it closes", async () => {
  const server = await start({ DRAIN_SECONDS: "1" });
  const agent = new http.Agent({ keepAlive: true });
  cleanUps.push(async () => agent.destroy());
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  const blank = net.connect(Number(new URL(server.url).port), "127.0.0.1");
  await new Promise((resolve) => blank.once("connect", resolve));
  const stoppedAt = Date.now();
  const ended = server.end("SIGTERM");
  await sleep(100);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  for (let n = 0; Date.now() - stoppedAt < 700; n += 1) {
    const response = await fireOverHttp(server.url, `0x${n.toString(16).padStart(40, "0")}`);
    expect([response.status, response.headers.get("connection")]).toEqual([200, "close"]);
  }
  expect(await ended).toBe(0);
  expect(Date.now() - stoppedAt).toBeGreaterThan(1_000);
  expect(Date.now() - stoppedAt).toBeLessThan(6_000);
});

test("a stop without a probe before it takes less than 3 s, whatever is connected", async () => {
  const server = await start();
  const { port } = new URL(server.url);
  const [blank, idle] = [net.connect(Number(port)), net.connect(Number(port))];
  for (const socket of [blank, idle]) socket.on("error", () => {});
  idle.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await new Promise((resolve) => idle.once("data", resolve));
  const stoppedAt = Date.now();
  expect(await server.end("SIGINT")).toBe(0);
  expect(Date.now() - stoppedAt).toBeLessThan(3_000);
});

test("calls that wait for the database do not make a server unready", async () => {
  const server = await start();
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
  const server = await start();
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
  expect((await verify()).stdout).toContain("all match the events");
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
