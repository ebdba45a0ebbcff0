import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs/promises";
import postgres from "postgres";
import { expect, test } from "vitest";
import { holdEmbeddedCluster } from "../../app/db/embedded/cluster";
import { cleanUps, getWallet, startSeededServer } from "../support/seeded-server";
import {
  createDataDir,
  findPostmaster,
  fireOverHttp,
  runCommand,
  SMALL_FIXTURE,
  startServerProcess,
  waitUntil,
} from "../support/server-process";

const { wallet } = SMALL_FIXTURE;
const _KEYS = `k1:${"0123456789abcdef".repeat(4)}`;

test("kill -9 of the server leaves no PostgreSQL behind, and the next start has all the data", async () => {
  const server = await startSeededServer();
  expect((await fireOverHttp(server.url, wallet)).status).toBe(200);
  await server.end("SIGKILL");
  await waitUntil(() => findPostmaster(server.dataDir) === null, 10_000);
  const next = await startServerProcess({ dataDir: server.dataDir });
  cleanUps.push(() => next.end("SIGTERM"));
  expect(await (await getWallet(next.url)).json()).toMatchObject({ points: 35, events: 2 });
});

test("an unexpected failure answers 500 without detail and is logged with its request id", async () => {
  const server = await startSeededServer();
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
  const first = await startSeededServer();
  const second = await startServerProcess({ dataDir: first.dataDir });
  cleanUps.push(() => second.end("SIGTERM"));
  expect((await fireOverHttp(first.url, wallet)).status).toBe(200);
  expect(await (await getWallet(second.url)).json()).toMatchObject({ points: 35 });
  await first.end("SIGTERM");
  expect((await fireOverHttp(second.url, wallet)).status).toBe(200);
});

test("a taken port is said in words, and nothing is left running", async () => {
  const first = await startSeededServer();
  const dataDir = await createDataDir();
  cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
  const port = new URL(first.url).port;
  await expect(startServerProcess({ dataDir, env: { PORT: port } })).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is taken by another program. Set PORT to another one.`,
  );
  await expect(startServerProcess({ dataDir, env: { HOST: "192.0.2.1" } })).rejects.toThrow(
    "HOST, PORT: the service cannot listen on 192.0.2.1, port 0: ",
  );
  expect(findPostmaster(dataDir)).toBeNull();
  await expect(startServerProcess({ dataDir: "package.json" })).rejects.toThrow(
    "DATA_DIR: package.json cannot be used: ENOTDIR",
  );
  // Linux and its automounters answer so where no folder can be made.
  if (process.platform !== "linux") return;
  await expect(startServerProcess({ dataDir: "/proc/points" })).rejects.toThrow(
    "DATA_DIR: /proc/points cannot be used: ENOENT",
  );
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
  const server = await startSeededServer();
  await fireOverHttp(server.url, wallet);
  const env = { DATA_DIR: server.dataDir };
  const verify = () => runCommand(["ledger-verify"], env);
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
  await sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
    create trigger refuse before insert or update or delete on rank_cursors execute function refuse()`);
  await sql.end();
  await cluster.release();
  // Neither the statement nor its parameters.
  const rebuilding = runCommand(["ranks-rebuild"], env);
  await expect(rebuilding).rejects.toMatchObject({ code: 1, stderr: "no\n" });
});

test("SIGTERM to npm start alone stops the service and its database", async () => {
  const dataDir = await createDataDir();
  cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
  const npm = spawn("npm", ["start"], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, DATABASE_URL: "", DATA_DIR: dataDir, PORT: "0", RPC_URL_1: "off" },
  });
  let output = "";
  npm.stderr.on("data", (chunk) => {
    output += chunk;
  });
  await waitUntil(() => output.includes("is ready at"), 60_000);
  npm.kill("SIGTERM");
  await waitUntil(() => findPostmaster(dataDir) === null, 60_000);
});

test.each([
  ["main", "1"],
  ["main", "2"],
  ["worker-main", "1"],
])(
  "a signal during the start ends %s with its status, also as the first process of a container (WEB_CONCURRENCY=%s)",
  async (program, WEB_CONCURRENCY) => {
    const dataDir = await createDataDir({ isEmpty: true });
    // initdb writes on for a moment.
    cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true, maxRetries: 20 }));
    const env = { ...process.env, DATABASE_URL: "", DATA_DIR: dataDir, WEB_CONCURRENCY, PORT: "0" };
    const child = spawn(process.execPath, [`build/server/${program}.js`], { env, stdio: "ignore" });
    const exited = once(child, "exit");
    // The cluster is being created, which takes seconds.
    const isStarting = () => fs.readdir(dataDir).then((names) => names.includes("pg-holders"));
    await waitUntil(isStarting, 30_000);
    child.kill("SIGTERM");
    expect(await exited).toEqual([143, null]);
  },
);
