import http from "node:http";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { findFreePort } from "../support/free-port";
import { callUntilRefused } from "../support/http-load";
import { cleanUps, inDatabase, startSeededServer } from "../support/seeded-server";
import {
  findPostmaster,
  fireOverHttp,
  startServerProcess,
  waitUntil,
} from "../support/server-process";

test("a stop breaks no call of 32 callers and doubles none, in 8 rounds", async () => {
  let server = await startSeededServer();
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
  const server = await startSeededServer({ DRAIN_SECONDS: "1" });
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

test.each(["1", "2"])(
  "a server that stops is not ready at METRICS_PORT either, with WEB_CONCURRENCY=%s",
  async (WEB_CONCURRENCY) => {
    const METRICS_PORT = String(await findFreePort());
    const server = await startSeededServer({ DRAIN_SECONDS: "2", METRICS_PORT, WEB_CONCURRENCY });
    const get = async (path: string) =>
      (await fetch(`http://127.0.0.1:${METRICS_PORT}${path}`)).status;
    await waitUntil(async () => (await get("/readyz")) === 200, 5_000);
    const ended = server.end("SIGTERM");
    await sleep(500);
    expect([await get("/readyz"), await get("/healthz")]).toEqual([503, 200]);
    expect(await ended).toBe(0);
  },
);

test("a stop without a probe before it takes less than 3 s, whatever is connected", async () => {
  const server = await startSeededServer();
  const { port } = new URL(server.url);
  const [blank, idle] = [net.connect(Number(port)), net.connect(Number(port))];
  for (const socket of [blank, idle]) socket.on("error", () => {});
  idle.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await new Promise((resolve) => idle.once("data", resolve));
  const stoppedAt = Date.now();
  expect(await server.end("SIGINT")).toBe(0);
  expect(Date.now() - stoppedAt).toBeLessThan(3_000);
});
