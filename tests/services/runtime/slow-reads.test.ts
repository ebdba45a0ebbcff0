import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
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

test("a point system whose reads take long leaves those of others their connections", async () => {
  const [slow, quick] = [randomUUID(), randomUUID()];
  const readQuick = () => sleepOnReads({ pointSystemId: quick, seconds: 0 });
  const readSlow = () => sleepOnReads({ pointSystemId: slow, seconds: 0.2 });
  // Files of one worker share what is known of the usual time.
  for (let read = 0; read < 100; read += 1) await readQuick();
  await readSlow();
  let isOver = false;
  const callers = [1, 2].map(async () => {
    while (!isOver) await readSlow();
  });
  const startedAtMs = performance.now();
  for (let read = 0; read < 40; read += 1) await readQuick();
  const tookMs = performance.now() - startedAtMs;
  isOver = true;
  await Promise.all(callers);
  // Behind the slow ones, each would take some 200 ms.
  expect(tookMs).toBeLessThan(40 * 50);
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
