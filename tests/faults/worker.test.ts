import fs from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { closeDatabase, openDatabase, withDatabase } from "../../app/db/client";
import { type EmbeddedCluster, holdEmbeddedCluster } from "../../app/db/embedded/cluster";
import { buildMerkleTree } from "../../app/domain/trees/merkle";
import type { AllocationKey } from "../../app/services/campaigns/build/order";
import {
  createCampaign,
  fillWallets,
  getAllocation,
  listBuckets,
  listDistributions,
  orderAllocation,
} from "../support/campaigns";
import { atDepth } from "../support/depth";
import {
  createDataDir,
  fireOverHttp,
  type ServerProcess,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
  startWorkerProcess,
  waitUntil,
} from "../support/server-process";

const { pointSystemId, wallet } = SMALL_FIXTURE;
const TOTAL = 10n ** 24n + 7n;
const WALLETS = atDepth(15_000, 60_000);

let dataDir: string;
let cluster: EmbeddedCluster;
const running: { end: (signal: NodeJS.Signals) => Promise<unknown> }[] = [];

beforeEach(async () => {
  dataDir = await createDataDir();
  await seed(dataDir, SMALL_FIXTURE.file);
  cluster = await holdEmbeddedCluster({ dataDir });
  openDatabase({
    address: cluster.connection,
    connectionsMax: 4,
    statementTimeoutMs: 0,
    deadlineMs: 0,
  });
  await fillWallets(
    pointSystemId,
    Array.from({ length: WALLETS }, (_, n) => 1 + ((n * 7_919) % 10_007)),
  );
});
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ end }) => end("SIGTERM")));
  await closeDatabase();
  await cluster.release();
  await fs.rm(dataDir, { recursive: true, force: true });
});

async function startServer(env: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await startServerProcess({ dataDir, env });
  running.push(server);
  return server;
}

async function startWorker() {
  const worker = await startWorkerProcess({ env: { DATA_DIR: dataDir } });
  running.push(worker);
  return worker;
}

const order = async () => orderAllocation(await createCampaign(pointSystemId), TOTAL, 128);

const hasStatus = (key: AllocationKey, ...statuses: string[]) =>
  waitUntil(async () => statuses.includes((await getAllocation(key)).status), 90_000);

async function expectWhole(key: AllocationKey): Promise<void> {
  const rows = await listDistributions(key);
  expect(rows).toHaveLength(WALLETS + 1);
  expect(rows.reduce((sum, row) => sum + row.amountWei, 0n)).toBe(TOTAL);
  const buckets = await listBuckets(key);
  expect(buckets).toHaveLength(Math.ceil(rows.length / 128));
  for (const { bucket, root } of buckets.filter((_, i) => i % 50 === 0)) {
    const leaves = rows.filter((row) => row.bucket === bucket);
    expect(`0x${Buffer.from(root ?? []).toString("hex")}`).toBe(buildMerkleTree(leaves).root);
  }
}

/** Makes the jobs look as if their process had been silent for a minute. */
const ageJobs = () =>
  withDatabase((db) =>
    db.execute(sql`
      update jobs set expires_at = expires_at - interval '61 s', run_after = now()
      where state = 'active'`),
  );

test("a server killed while it builds: the next one goes on, to the same roots", async () => {
  const key = await order();
  for (const status of ["allocating", "building"]) {
    const server = await startServer();
    await hasStatus(key, status, "built");
    await server.end("SIGKILL");
    await ageJobs();
  }
  await startServer();
  await hasStatus(key, "built");
  await expectWhole(key);
});

test("with WORKER=off a server leaves the work to a worker, and goes on serving", async () => {
  const key = await order();
  const server = await startServer({ WORKER: "off" });
  expect((await fireOverHttp(server.url, wallet)).status).toBe(200);
  // Each process writes its own counts from memory: no other process can.
  await waitUntil(async () => {
    const rows = await withDatabase((db) =>
      db.execute(sql`select from api_keys where last_used_at is not null`),
    );
    return rows.length === 1;
  }, 20_000);
  expect((await getAllocation(key)).status).toBe("queued");
  const worker = await startWorker();
  await hasStatus(key, "built");
  await expectWhole(key);
  expect(await worker.end("SIGTERM")).toBe(0);
  expect((await fireOverHttp(server.url, wallet)).status).toBe(200);
});

test("a worker that is told to stop does so at once, and hands over what it does", async () => {
  const key = await order();
  const worker = await startWorker();
  await hasStatus(key, "allocating", "building");
  expect(await worker.end("SIGTERM")).toBe(0);
  const [job] = await withDatabase((db) =>
    db.execute<{ state: string }>(
      sql`select state from jobs where queue = 'build-allocation' and ended_at is null`,
    ),
  );
  expect(job?.state).toBe("waiting");
  await startWorker();
  await hasStatus(key, "built");
  await expectWhole(key);
});

test("a worker that hangs is killed, and another one ends its work within a minute and a half", async () => {
  const key = await order();
  const hanging = await startWorker();
  await hasStatus(key, "allocating", "building");
  hanging.signal("SIGSTOP");
  await startWorker();
  await sleep(5_000);
  expect((await getAllocation(key)).status).not.toBe("built");
  hanging.signal("SIGKILL");
  await hasStatus(key, "built");
  await expectWhole(key);
});
