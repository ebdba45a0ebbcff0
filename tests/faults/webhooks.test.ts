import { randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { withDatabase } from "../../app/db/client";
import { setKeyEnvironment } from "../../app/services/keyring/keyring";
import { createWebhook } from "../../app/services/webhooks/endpoints";
import { findOwner } from "../support/operators";
import {
  createDataDir,
  findPostmaster,
  type ServerProcess,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
  waitUntil,
  withDatabaseOf,
} from "../support/server-process";
import { type Received, startReceiver, verifyReceived } from "../support/webhook-receiver";

const { pointSystemId, token } = SMALL_FIXTURE;
const CREDITS = Number(process.env.FAULT_CREDITS ?? 100_000);
const BATCH = 500;
const CLIENTS = 4;
/** Each wallet has some five credits: the trigger's limit of ten a minute refuses none. */
const WALLETS = CREDITS / 5;
const ENV = { LOG_LEVEL: "warn", WEBHOOK_ALLOW_PRIVATE: "127.0.0.1" };

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const toAddress = (n: number) => `0x${(n % WALLETS).toString(16).padStart(40, "0")}`;

/** Credits a batch, again and again with its idempotency keys, until it is answered. */
async function creditBatch(getUrl: () => string, first: number): Promise<void> {
  const items = Array.from({ length: BATCH }, (_, i) => ({
    triggerKey: "daily_login",
    walletAddress: toAddress(first + i),
    idempotencyKey: `credit-${first + i}`,
  }));
  for (;;) {
    const response = await fetch(`${getUrl()}/trigger/batch`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ pointSystemId, items }),
      signal: AbortSignal.timeout(10_000),
    }).catch(() => null);
    if (response?.status === 200) {
      // An item that was not credited is sent again with the others.
      const { results } = (await response.json()) as { results: { success: boolean }[] };
      if (results.every(({ success }) => success)) return;
    }
    await sleep(50);
  }
}

test(`service and database killed with -9 while ${CREDITS} credits are made: each is delivered at least once, none that was not committed, a wallet's in order`, async () => {
  const dataDir = await createDataDir();
  cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
  await seed(dataDir, SMALL_FIXTURE.file);
  const receiver = await startReceiver();
  cleanUps.push(() => receiver.close());
  setKeyEnvironment({ DATA_DIR: dataDir });
  const { secret } = await withDatabaseOf(dataDir, async () =>
    createWebhook(await findOwner(pointSystemId), {
      id: randomUUID(),
      url: new URL(receiver.url),
      eventTypes: ["points.credited"],
    }),
  );
  let server: ServerProcess = await startServerProcess({ dataDir, env: ENV });
  cleanUps.push(() => server.end("SIGTERM"));

  let next = 0;
  const load = Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (next < CREDITS) {
        const first = next;
        next += BATCH;
        await creditBatch(() => server.url, first);
      }
    }),
  );
  let isOver = false;
  void load.then(() => {
    isOver = true;
  });
  let kills = 0;
  while (!isOver) {
    await sleep(500 + Math.random() * 2_000);
    if (kills % 2 === 0) {
      await server.end("SIGKILL");
      server = await startServerProcess({ dataDir, env: ENV });
    } else {
      const postmaster = findPostmaster(dataDir);
      if (postmaster !== null) process.kill(postmaster, "SIGKILL");
    }
    kills += 1;
  }
  await load;

  const ids = new Set<string>();
  let read = 0;
  const readNews = () => {
    const news = receiver.received.slice(read);
    read += news.length;
    for (const { data } of news) for (const credit of data.credits) ids.add(toId(credit));
    return news.length > 0;
  };
  // A slow machine may take its time, as long as something arrives.
  while (ids.size < CREDITS) await waitUntil(readNews, 60_000);
  await server.end("SIGTERM");
  const committed = await withDatabaseOf(dataDir, () =>
    withDatabase((db) =>
      db.execute<{ id: string; seq: number }>(sql`
        select id, seq::float8 as seq from point_events
        where point_system_id = ${pointSystemId} and event = 'daily_login' order by seq`),
    ),
  );
  expect(committed.length).toBe(CREDITS);
  expect(ids).toEqual(new Set(committed.map(toId)));
  expectInOrder(receiver.received, new Map(committed.map(({ id, seq }) => [id, seq])));
  expectRepeatsEqual(receiver.received);
  // The library refuses a time that is older than five minutes.
  verifyReceived(receiver.received.at(-1) as Received, secret);
  const repeated = receiver.received.length - new Set(receiver.received.map(toId)).size;
  console.log(`${kills} kills, ${receiver.received.length} deliveries, ${repeated} repeated`);
  expect(kills).toBeGreaterThan(1);
});

test("another process goes on with the trace of a credit, after the server that credited is killed", async () => {
  const dataDir = await createDataDir();
  cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
  await seed(dataDir, SMALL_FIXTURE.file);
  const receiver = await startReceiver();
  cleanUps.push(() => receiver.close());
  setKeyEnvironment({ DATA_DIR: dataDir });
  await withDatabaseOf(dataDir, async () =>
    createWebhook(await findOwner(pointSystemId), {
      id: randomUUID(),
      url: new URL(receiver.url),
      eventTypes: ["points.credited"],
    }),
  );
  const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const server = await startServerProcess({ dataDir, env: { ...ENV, WORKER: "off" } });
  cleanUps.push(() => server.end("SIGKILL"));
  const answer = await fetch(`${server.url}/trigger`, {
    method: "POST",
    headers: {
      ...{ Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      traceparent: `00-${trace}-00f067aa0ba902b7-01`,
    },
    body: JSON.stringify({ pointSystemId, triggerKey: "daily_login", walletAddress: toAddress(1) }),
  });
  expect(answer.status).toBe(200);
  await server.end("SIGKILL");
  expect(receiver.received).toEqual([]);
  const next = await startServerProcess({ dataDir, env: ENV });
  cleanUps.push(() => next.end("SIGTERM"));
  await waitUntil(() => receiver.received.length > 0, 20_000);
  expect(String(receiver.received[0]?.headers.traceparent).split("-")[1]).toBe(trace);
});

const toId = ({ id }: { id: string }) => id;

/** Checks that each wallet's credits came for the first time in the ledger's order. */
function expectInOrder(received: readonly Received[], seqs: ReadonlyMap<string, number>): void {
  const seen = new Set<string>();
  const newest = new Map<string, number>();
  for (const { id, address } of received.flatMap(({ data }) => data.credits)) {
    if (seen.has(id)) continue;
    seen.add(id);
    const seq = seqs.get(id) ?? 0;
    expect(seq).toBeGreaterThan(newest.get(address) ?? 0);
    newest.set(address, seq);
  }
}

/** Checks that deliveries with one id have one body. */
function expectRepeatsEqual(received: readonly Received[]): void {
  const bodies = new Map<string, string>();
  for (const { id, body } of received) {
    expect(body).toBe(bodies.get(id) ?? body);
    bodies.set(id, body);
  }
}
