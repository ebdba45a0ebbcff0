import fs from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createDataDir,
  type ServerProcess,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
} from "../server-process";

const { pointSystemId, wallet } = SMALL_FIXTURE;
const PATH = `/rewards/claim-status?address=${wallet}&pointSystemId=${pointSystemId}`;

let dataDir: string;
/** Two that trust nobody, and one that trusts a proxy on this machine; all on one database. */
let direct: ServerProcess[];
let proxied: ServerProcess;

beforeAll(async () => {
  dataDir = await createDataDir();
  direct = [await startServerProcess({ dataDir }), await startServerProcess({ dataDir })];
  proxied = await startServerProcess({
    dataDir,
    env: { TRUSTED_PROXIES: "127.0.0.0/8,192.0.2.1" },
  });
  await seed(dataDir, SMALL_FIXTURE.file);
});
afterAll(async () => {
  for (const server of [...direct, proxied]) await server.end("SIGTERM");
  await fs.rm(dataDir, { recursive: true, force: true });
});

/** Calls at once; in turns at each of the servers. */
async function callAll(
  servers: readonly ServerProcess[],
  forwardedFor: readonly (string | null)[],
): Promise<Record<number, number>> {
  const statuses = await Promise.all(
    forwardedFor.map(async (header, i) => {
      const response = await fetch(`${servers[i % servers.length]?.url}${PATH}`, {
        headers: header === null ? {} : { "X-Forwarded-For": header },
      });
      await response.arrayBuffer();
      return response.status;
    }),
  );
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const numbered = (count: number, toHeader: (i: number) => string | null) =>
  Array.from({ length: count }, (_, i) => toHeader(i));

test("of 1,000 forged headers at two instances, 60 pass: nobody's header is believed", async () => {
  const forged = numbered(1_000, (i) => `203.0.${i >> 8}.${i & 255}`);
  expect(await callAll(direct, forged)).toEqual({ 200: 60, 429: 940 });
});

test("behind a trusted proxy each client has its own 60, whatever it forges before it", async () => {
  const forged = numbered(300, (i) => `203.0.113.${i & 255}, 198.51.100.7`);
  expect(await callAll([proxied], forged)).toEqual({ 200: 60, 429: 240 });
  const others = numbered(300, (i) => `198.51.100.7, 198.51.101.${i & 255}, 192.0.2.1`);
  expect(await callAll([proxied], others)).toEqual({ 200: 300 });
  // What the proxy itself asks counts against the proxy, which the other instances know too.
  expect(
    await callAll(
      [proxied],
      numbered(5, () => null),
    ),
  ).toEqual({ 429: 5 });
});

test("a page reads from the answer for how long it is refused", async () => {
  const response = await fetch(`${direct[0]?.url}${PATH}`, { headers: { Origin: "https://a.io" } });
  expect(response.status).toBe(429);
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  expect(response.headers.get("access-control-expose-headers")).toBe("Retry-After");
  expect(Number(response.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect(Number(response.headers.get("retry-after"))).toBeLessThanOrEqual(60);
});

test("a forwarded protocol or host is not read: links stay at the configured origin", async () => {
  const response = await fetch(`${proxied.url}/dashboard`, {
    redirect: "manual",
    headers: { "X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example" },
  });
  expect(response.headers.get("location") ?? "").not.toContain("evil.example");
  expect(response.headers.has("strict-transport-security")).toBe(false);
});
