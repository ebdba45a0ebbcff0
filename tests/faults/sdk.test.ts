import fs from "node:fs/promises";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import type * as Sdk from "../../sdk/src/index";
import { installSdk } from "../support/sdk-package";
import { cleanUps, inDatabase } from "../support/seeded-server";
import {
  createDataDir,
  findPostmaster,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
  waitUntil,
} from "../support/server-process";

const { pointSystemId, token } = SMALL_FIXTURE;
const CLIENTS = 12;
const RETRY_FOR_MS = 240_000;

/** Finds a port that stays the same when a server is started again. */
function findPort(): Promise<string> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(String(port)));
    });
  });
}

test("the packed SDK credits each event once while the server ends by SIGTERM and kill -9, and its database by kill -9", async () => {
  const project = await fs.mkdtemp(path.join(os.tmpdir(), "points-sdk-"));
  cleanUps.push(() => fs.rm(project, { recursive: true, force: true }));
  await installSdk(project);
  const entry = path.join(project, "node_modules/points-and-rewards-sdk/dist/index.js");
  const { PointsClient } = (await import(pathToFileURL(entry).href)) as typeof Sdk;

  const dataDir = await createDataDir();
  cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
  const env = { PORT: await findPort() };
  let server = await startServerProcess({ dataDir, env });
  cleanUps.push(() => server.end("SIGTERM"));
  await seed(dataDir, SMALL_FIXTURE.file);

  let retries = 0;
  const client = new PointsClient({
    ...{ baseUrl: server.url, apiKey: token, retryForMs: RETRY_FOR_MS },
    onRetry: () => {
      retries += 1;
    },
  });
  let isOver = false;
  let credits = 0;
  // Every event has a wallet of its own: one that was credited twice has 20 points.
  const wallet = (n: number) => `0x${n.toString(16).padStart(40, "0")}`;
  const call = (n: number) => ({ triggerKey: "daily_login", walletAddress: wallet(n) });
  let events = 1_000;
  const clients = Array.from({ length: CLIENTS }, async (_, place) => {
    while (!isOver) {
      const n = events++;
      // Every third client credits by batches.
      if (place % 3 > 0) {
        await client.creditPoints({ ...call(n), pointSystemId });
      } else {
        const { credited } = await client.creditBatch({ pointSystemId, items: [call(n)] });
        expect(credited).toBe(1);
      }
      credits += 1;
    }
  });
  const more = async () => {
    const before = credits;
    await waitUntil(() => credits > before + 20, RETRY_FOR_MS);
  };
  const restart = async (signal: NodeJS.Signals) => {
    await more();
    await server.end(signal);
    server = await startServerProcess({ dataDir, env });
  };
  const harm = (async () => {
    await restart("SIGKILL");
    await restart("SIGTERM");
    await more();
    const postmaster = findPostmaster(dataDir);
    if (postmaster !== null) process.kill(postmaster, "SIGKILL");
    await restart("SIGKILL");
    await more();
  })();
  try {
    await Promise.race([harm, Promise.all(clients)]);
    await harm;
  } finally {
    isOver = true;
  }
  await Promise.all(clients);

  expect(retries).toBeGreaterThan(0);
  await inDatabase(dataDir, async (sql) => {
    const [row] = await sql`
      select count(*)::int as wallets, min(points)::int as least, max(points)::int as most
      from wallets where points <> 25`;
    expect(row).toEqual({ wallets: credits, least: 10, most: 10 });
  });
});
