import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Connection, getDatabaseOptions, withDatabase } from "../../../app/db/client";
import { createPool } from "../../../app/db/pool";
import type { Answer } from "../../support/call";
import { createAddress, scene } from "../../support/scene";

// Point systems do not wait for each other, and a credit that fails says whether it can be there.

let other: Connection;
/** Releases what a test that failed still holds. */
const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});
beforeAll(() => {
  other = createPool({ ...getDatabaseOptions(), connectionsMax: 4, statementTimeoutMs: 0 });
});
afterAll(() => other.end());

/** Holds the ledger lock of a point system, as a long transaction does. */
async function holdLedger(pointSystemId: string): Promise<() => Promise<void>> {
  let release = () => {};
  const isOver = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isHeld = () => {};
  const held = new Promise<void>((resolve) => {
    isHeld = resolve;
  });
  const transaction = other.begin(async (tx) => {
    await tx`select lock_ledger(${pointSystemId}::uuid)`;
    isHeld();
    await isOver;
  });
  await held;
  const end = async () => {
    release();
    await transaction;
  };
  cleanUps.push(end);
  return end;
}

const fireMany = (fire: (body: Record<string, unknown>) => Promise<Answer>, count: number) =>
  Promise.all(Array.from({ length: count }, () => fire({ walletAddress: createAddress() })));

test("locked point systems hold up no credit of another, and their own callers learn that nothing was credited", async () => {
  const locked = await Promise.all([scene(), scene(), scene()]);
  const free = await scene();
  const releases = await Promise.all(locked.map(({ pointSystemId }) => holdLedger(pointSystemId)));
  const waiting = locked.map(({ fire }) => fireMany(fire, 20));
  const answers: Answer[] = [];
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  while (performance.now() - startedAt < 3_000) {
    const firedAt = performance.now();
    answers.push(...(await fireMany(free.fire, 4)));
    latenciesMs.push(performance.now() - firedAt);
  }
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  // A locked one gives up its connection after half a second; nobody waits for more than that.
  expect(Math.max(...latenciesMs)).toBeLessThan(1_000);
  const refused = (await Promise.all(waiting)).flat();
  for (const { status, body } of refused) {
    expect([status, body.error, body.code]).toEqual([503, "Service unavailable", "not_credited"]);
  }
  for (const release of releases) await release();
  for (const { fire, get } of locked) {
    expect((await fire()).status).toBe(200);
    expect((await get("/leaderboard")).body.pagination.total).toBe(1);
  }
});

test("calls that wait for a lock are credited once it is free, each once", async () => {
  const { fire, get, pointSystemId } = await scene();
  const release = await holdLedger(pointSystemId);
  const waiting = fireMany(fire, 30);
  await sleep(1_200);
  await release();
  const answers = await waiting;
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect((await get("/leaderboard")).body.pagination.total).toBe(30);
});

test("credits whose connection is lost are settled within their time, without a key and never twice", async () => {
  const { fire, pointSystemId } = await scene();
  let isOver = false;
  let credited = 0;
  const clients = Promise.all(
    Array.from({ length: 16 }, async () => {
      while (!isOver) {
        const { status, body } = await fire({ walletAddress: createAddress() });
        expect([status, body.code]).toEqual([200, undefined]);
        credited += 1;
      }
    }),
  );
  let ended = 0;
  cleanUps.push(async () => {
    isOver = true;
  });
  for (let kills = 0; kills < 20; kills += 1) {
    const before = credited;
    // On a slow machine, a connection may be lost before it credits anything.
    while (credited === before) await Promise.race([clients, sleep(60)]);
    // The text of this statement has the name as well: it may not end the connections that it was run on before.
    const backends = await other`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like '%from credit_points%' and query not like '%pg_terminate_backend%'`;
    ended += backends.length;
  }
  isOver = true;
  await clients;
  expect(ended).toBeGreaterThan(10);
  const [row] = await withDatabase((db) =>
    db.execute<{ events: number }>(sql`
      select count(*)::int as events from point_events where point_system_id = ${pointSystemId}`),
  );
  expect(row?.events).toBe(credited);
});

test("idempotency records are dropped by whole turns, and the days that were promised stay", async () => {
  const { fire } = await scene();
  const key = randomUUID();
  const isReplayed = async () => {
    const { headers } = await fire({}, { "Idempotency-Key": key });
    return headers.has("idempotent-replayed");
  };
  const turnAfter = async (days: number) => {
    await other`update idempotency_turns set began_at = now() - make_interval(days => ${days})`;
    const [row] = await other<{ hasTurned: boolean }[]>`
      select turn_idempotency_records(30) as "hasTurned"`;
    return row?.hasTurned;
  };
  expect(await isReplayed()).toBe(false);
  expect(await turnAfter(29)).toBe(false);
  expect(await isReplayed()).toBe(true);
  expect(await turnAfter(31)).toBe(true);
  expect(await isReplayed()).toBe(true);
  expect(await turnAfter(31)).toBe(true);
  expect(await isReplayed()).toBe(false);
  expect(await isReplayed()).toBe(true);
});
