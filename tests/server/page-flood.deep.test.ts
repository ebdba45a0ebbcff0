import fs from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createDataDir,
  type ServerProcess,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
} from "../support/server-process";

const { wallet } = SMALL_FIXTURE;

let dataDir: string;
let proxied: ServerProcess;
beforeAll(async () => {
  dataDir = await createDataDir();
  proxied = await startServerProcess({ dataDir, env: { TRUSTED_PROXIES: "127.0.0.0/8" } });
  await seed(dataDir, SMALL_FIXTURE.file);
});
afterAll(async () => {
  await proxied.end("SIGTERM");
  await fs.rm(dataDir, { recursive: true, force: true });
});

test("a network that floods the pages is told when to come back; others, the API and signed-in pages go on", async () => {
  const ask = (path: string, network: string) =>
    fetch(proxied.url + path, {
      headers: { "X-Forwarded-For": network },
      redirect: "manual",
    });
  const [loud, quiet] = ["198.51.100.77", "198.51.100.78"];
  // Calls of a path that does not exist count, and cost least: a busy machine answers 3,000 within the minute, too.
  const mistype = async () => {
    const headers = { "X-Forwarded-For": loud, Accept: "application/json" };
    await (await fetch(`${proxied.url}/no-such-path`, { headers })).arrayBuffer();
  };
  let refused: Response | undefined;
  for (let asked = 0; asked < 20_000 && refused?.status !== 429; asked += 250) {
    for (let n = 0; n < 5; n += 1) await Promise.all(Array.from({ length: 50 }, mistype));
    refused = await ask("/claim/alpha/manifest.json", loud);
    await refused.arrayBuffer();
  }
  expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(Number(refused?.headers.get("retry-after"))).toBeLessThanOrEqual(60);
  expect(refused?.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect((await ask("/l/alpha", quiet)).status).toBe(200);
  expect((await ask("/dashboard", loud)).status).toBe(302);
  expect((await ask(`/api/wallet/${wallet}`, loud)).status).not.toBe(429);
}, 120_000);
