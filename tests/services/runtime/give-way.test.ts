import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { closeDatabase, getDatabaseOptions, openDatabase } from "../../../app/db/client";
import { createRests, giveWay, inParts } from "../../../app/db/give-way";
import { other } from "../../support/test-database";

const PARTS = [0, 1, 2];
const PART_MS = 120;
/** An advisory lock that only this test has. */
const LOCK = 7_014_099;
const options = getDatabaseOptions();

afterEach(async () => {
  await closeDatabase();
  openDatabase(options);
});

/** Does the parts of some work, and measures them, and the rests after them. */
async function work(): Promise<{ partsMs: number; restsMs: number }> {
  let partsMs = 0;
  const startedAtMs = performance.now();
  for await (const _ of inParts(PARTS)) {
    const partStartedAtMs = performance.now();
    await sleep(PART_MS);
    partsMs += performance.now() - partStartedAtMs;
  }
  return { partsMs, restsMs: performance.now() - startedAtMs - partsMs };
}

/** Opens the database as a command does. */
async function openForCommand(): Promise<void> {
  await closeDatabase();
  openDatabase({ ...options, connectionsMax: 4, statementTimeoutMs: 0, deadlineMs: 0 });
}

test("a command rests four times as long as each part of its work took, while others use the database", async () => {
  await openForCommand();
  const busy = other`select pg_sleep(3)`.execute();
  const { partsMs, restsMs } = await work();
  expect(restsMs).toBeGreaterThan(3.9 * partsMs);
  await busy;
});

test("a command that is alone at the database does not rest, nor does a server", async () => {
  const busy = other`select pg_sleep(1)`.execute();
  const server = await work();
  await busy;
  await openForCommand();
  await sleep(100);
  await work(); // It opens its connection.
  const alone = await work();
  expect(server.restsMs).toBeLessThan(4 * PART_MS);
  expect(alone.restsMs).toBeLessThan(4 * PART_MS);
});

test("a command does not rest for those who wait for a lock, as they may wait for it", async () => {
  await openForCommand();
  await work(); // It opens its connection.
  const holder = await other.reserve();
  const waiter = await other.reserve();
  await holder`select pg_advisory_lock(${LOCK})`;
  const waiting = waiter`select pg_advisory_lock(${LOCK})`.execute();
  await sleep(100);
  const { restsMs } = await work();
  await holder`select pg_advisory_unlock(${LOCK})`;
  await waiting;
  await waiter`select pg_advisory_unlock(${LOCK})`;
  holder.release();
  waiter.release();
  expect(restsMs).toBeLessThan(4 * PART_MS);
});

test("a command also rests for the work that it did between its parts", async () => {
  await openForCommand();
  await giveWay(); // It opens its connection.
  const busy = other`select pg_sleep(3)`.execute();
  await sleep(2 * PART_MS);
  const startedAtMs = performance.now();
  for await (const _ of inParts([0]));
  expect(performance.now() - startedAtMs).toBeGreaterThan(4 * 2 * PART_MS);
  await busy;
});

test("a rest is no longer than the most that its work may have", async () => {
  await openForCommand();
  const busy = other`select pg_sleep(2)`.execute();
  const rest = createRests(200);
  await sleep(2 * PART_MS);
  const startedAtMs = performance.now();
  await rest();
  const restMs = performance.now() - startedAtMs;
  expect(restMs).toBeGreaterThanOrEqual(195);
  expect(restMs).toBeLessThan(4 * 2 * PART_MS);
  await busy;
});
