import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { countConnections, hotQuery, pipelinedQuery } from "../../../app/db/client";

interface Sleep {
  readonly pointSystemId: string;
  readonly seconds: number;
}

const sleepOnReads = pipelinedQuery("reads", (db) => ({
  execute: ({ seconds }: Sleep) => db.$client`select pg_sleep(${seconds}::float8)`,
}));
const sleepOnShared = hotQuery((db) => ({
  execute: (seconds: number) => db.$client`select pg_sleep(${seconds}::float8)`,
}));

const [slow, quick] = [randomUUID(), randomUUID()];
const readQuick = () => sleepOnReads({ pointSystemId: quick, seconds: 0 });
const readSlow = (seconds: number) => sleepOnReads({ pointSystemId: slow, seconds });

/** Reads a slow point system from several callers while `work` is done. */
async function besideSlow(seconds: number, work: () => Promise<void>) {
  let [slowReads, isOver] = [0, false];
  const callers = [1, 2].map(async () => {
    while (!isOver) {
      await readSlow(seconds);
      slowReads += 1;
    }
  });
  const startedAtMs = performance.now();
  await work();
  const tookMs = performance.now() - startedAtMs;
  isOver = true;
  await Promise.all(callers);
  return { tookMs, slowReads };
}

beforeAll(async () => {
  // Files of one worker share what is known of the usual time.
  for (let read = 0; read < 100; read += 1) await readQuick();
  await readSlow(0.2);
});

test("a point system whose reads take long leaves those of others their connections", async () => {
  const { tookMs } = await besideSlow(0.2, async () => {
    for (let read = 0; read < 40; read += 1) await readQuick();
  });
  // Behind the slow ones, each would take some 200 ms.
  expect(tookMs).toBeLessThan(40 * 50);
});

test("slow reads take a quarter of the time while others are at work, and all of it when alone", async () => {
  const beside = await besideSlow(0.1, async () => {
    for (const endsAtMs = performance.now() + 3_000; performance.now() < endsAtMs; )
      await readQuick();
  });
  expect(beside.slowReads).toBeGreaterThan(2);
  expect(beside.slowReads).toBeLessThan(3_000 / 400 + 4);
  const alone = await besideSlow(0.1, () => sleep(3_000));
  expect(alone.slowReads).toBeGreaterThan(1.5 * beside.slowReads);
});

test("a slow read without a turn within its deadline is refused in time", async () => {
  let isOver = false;
  const quickReads = (async () => {
    while (!isOver) await readQuick();
  })();
  const startedAtMs = performance.now();
  const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => readSlow(0.1)));
  const tookMs = performance.now() - startedAtMs;
  isOver = true;
  await quickReads;
  const refused = outcomes.filter(({ status }) => status === "rejected");
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(outcomes.length);
  for (const outcome of refused) {
    expect(outcome).toMatchObject({ reason: { code: "service_unavailable" } });
  }
  expect(tookMs).toBeLessThan(5_000);
});

test("a statement outside pipelines waits for the first connection that becomes free", async () => {
  const connections = Array.from({ length: countConnections("shared") });
  // Each connection has prepared the statement: it could take the next ones while it is at work.
  for (let round = 0; round < 2; round += 1) {
    await Promise.all(connections.map(() => sleepOnShared(0.05)));
  }
  const slow = sleepOnShared(2);
  let isSlowOver = false;
  void slow.then(() => {
    isSlowOver = true;
  });
  await Promise.all(connections.slice(1).map(() => sleepOnShared(0.1)));
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(connections.map(() => sleepOnShared(0)));
  }
  await Promise.all(Array.from({ length: 5 * connections.length }, () => sleepOnShared(0.01)));
  expect(isSlowOver).toBe(false);
  await slow;
});
