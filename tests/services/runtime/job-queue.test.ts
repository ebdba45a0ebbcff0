import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { inTransaction, withDatabase } from "../../../app/db/client";
import { bringTimesBack } from "../../../app/services/runtime/future-times";
import {
  enqueueJob,
  enqueueScheduledJob,
  maintainQueue,
  runQueuedJob,
} from "../../../app/services/runtime/job-queue";
import { scene } from "../../support/scene";
import { other } from "../../support/test-database";

const QUEUE = "build-allocation";
const reports: unknown[] = [];
const context = {
  signal: new AbortController().signal,
  report: (error: unknown) => reports.push(error),
};

beforeEach(() => withDatabase((db) => db.execute(sql`delete from jobs`)));

const enqueue = (data: object, key: string = randomUUID()) =>
  inTransaction((tx) => enqueueJob(tx, QUEUE, data, key));

/** Takes the data of the queue's next job; null when there is none. */
async function takeNext(): Promise<unknown> {
  let taken: unknown = null;
  await runQueuedJob(
    QUEUE,
    async (data) => {
      taken = data;
    },
    context,
  );
  return taken;
}

const listStates = async () =>
  (
    await withDatabase((db) =>
      db.execute<{ state: string }>(sql`select state from jobs order by id`),
    )
  ).map(({ state }) => state);

/** Makes the jobs look as if their processes had been silent for so long. */
const age = (seconds: number) =>
  withDatabase((db) =>
    db.execute(sql`update jobs set expires_at = expires_at - make_interval(secs => ${seconds})`),
  );

test("a job is done once, with what it was queued with", async () => {
  await enqueue({ reward: 'a "quoted" name', round: 3 });
  expect(await takeNext()).toEqual({ reward: 'a "quoted" name', round: 3 });
  expect(await takeNext()).toBeNull();
  expect(await listStates()).toEqual(["completed"]);
});

test("a job is there if the transaction that queued it commits, and not otherwise", async () => {
  const attempt = inTransaction(async (tx) => {
    await enqueueJob(tx, QUEUE, {}, "key");
    throw new Error("Not to be");
  });
  await expect(attempt).rejects.toThrow("Not to be");
  expect(await takeNext()).toBeNull();
});

test("of one key one job waits; another key's is another job", async () => {
  await enqueue({ n: 1 }, "a");
  await enqueue({ n: 2 }, "a");
  await enqueue({ n: 3 }, "b");
  expect([await takeNext(), await takeNext(), await takeNext()]).toEqual([
    { n: 1 },
    { n: 3 },
    null,
  ]);
});

test("what is left of a job goes on with the data that its last part left, also in another turn and after a failure", async () => {
  await enqueue({ at: 0 });
  const seen: unknown[] = [];
  const stopping = new AbortController();
  await runQueuedJob(
    QUEUE,
    async (data) => {
      const { at } = data as { at: number };
      seen.push(at);
      if (at === 2) stopping.abort();
      return { at: at + 1 };
    },
    { ...context, signal: stopping.signal },
  );
  expect(seen).toEqual([0, 1, 2]);
  const away = () => Promise.reject(new Error("Away"));
  await runQueuedJob(QUEUE, away, { ...context, report: () => {} });
  await withDatabase((db) => db.execute(sql`update jobs set run_after = now() - interval '1 s'`));
  expect(await takeNext()).toEqual({ at: 3 });
});

test("two processes never take the same job", async () => {
  await Promise.all(Array.from({ length: 6 }, (_, n) => enqueue({ n })));
  const taken = await Promise.all(Array.from({ length: 8 }, takeNext));
  expect(taken.filter((data) => data !== null)).toHaveLength(6);
  expect(new Set(taken.map((data) => JSON.stringify(data))).size).toBe(7);
});

test("a job that fails is told of and repeated later, and the next one is done at once", async () => {
  await enqueue({ n: 1 });
  const failure = new Error("No");
  expect(await runQueuedJob(QUEUE, () => Promise.reject(failure), context)).toBe(true);
  expect(reports).toEqual([failure]);
  expect(await listStates()).toEqual(["retry"]);
  expect(await takeNext()).toBeNull();
  await withDatabase((db) => db.execute(sql`update jobs set run_after = now() - interval '1 s'`));
  expect(await takeNext()).toEqual({ n: 1 });
});

test("a job whose process says nothing for a minute is handed over, a living one's is not", async () => {
  await enqueue({ n: 1 });
  let end = () => {};
  const running = runQueuedJob(
    QUEUE,
    () => new Promise<void>((resolve) => (end = resolve)),
    context,
  );
  await expect.poll(listStates).toEqual(["active"]);
  await age(50);
  await maintainQueue();
  expect(await listStates()).toEqual(["active"]);
  await age(11);
  await maintainQueue();
  expect(await listStates()).toEqual(["retry"]);
  end();
  await running;
});

test("what is left of a long job lets those that wait go first, and an ended turn is no failure", async () => {
  await enqueue({ n: "long" }, "long");
  await enqueue({ n: "short" });
  const done: unknown[] = [];
  const work = async (data: unknown) => {
    await sleep(90);
    done.push((data as { n: string }).n);
    return done.at(-1) === "long" && done.length < 30;
  };
  while (await runQueuedJob(QUEUE, work, context));
  const short = done.indexOf("short");
  expect(short).toBeGreaterThan(1);
  expect(short).toBeLessThan(28);
  expect(done).toHaveLength(30);
  expect(await listStates()).toEqual(["completed", "completed", "completed"]);
});

/** Does a job of four parts and returns how long it took, less its parts. */
async function measureRests(partMs: number): Promise<number> {
  await enqueue({});
  let partsMs = 0;
  const startedAtMs = performance.now();
  let parts = 0;
  const work = async () => {
    const partStartedAtMs = performance.now();
    await sleep(partMs);
    partsMs += performance.now() - partStartedAtMs;
    parts += 1;
    return parts < 4;
  };
  await runQueuedJob(QUEUE, work, context);
  expect(parts).toBe(4);
  return performance.now() - startedAtMs - partsMs;
}

test("a long job rests four times as long as its parts took while others use the database, and hardly when it is alone", async () => {
  const busy = other`select pg_sleep(3)`.execute();
  const besideOthers = await measureRests(110);
  await busy;
  const alone = await measureRests(110);
  // A timer may be early by a millisecond.
  expect(besideOthers).toBeGreaterThan(3 * 4 * (110 - 2));
  expect(alone).toBeLessThan(besideOthers / 2);
});

test("a job of many short parts rests after some of them", async () => {
  const busy = other`select pg_sleep(2)`.execute();
  const rests = await measureRests(40);
  await busy;
  expect(rests).toBeGreaterThan(3 * 4 * (40 - 2));
});

test("a process that stops takes up nothing more, and hands over at once what it does: stops are no failures", async () => {
  await enqueue({ n: 1 });
  await runQueuedJob(QUEUE, () => Promise.reject(new Error("No")), context);
  await withDatabase((db) => db.execute(sql`update jobs set run_after = now() - interval '1 s'`));
  for (let stops = 1; stops <= 10; stops += 1) {
    const stopping = new AbortController();
    const running = runQueuedJob(
      QUEUE,
      (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
      { ...context, signal: stopping.signal },
    );
    await expect.poll(async () => (await listStates()).at(-1)).toBe("active");
    stopping.abort();
    expect(await running).toBe(true);
    const last = { ...context, signal: stopping.signal };
    expect(await runQueuedJob(QUEUE, async () => {}, last)).toBe(false);
  }
  const [left] = await withDatabase((db) =>
    db.execute(
      sql`select attempts, run_after <= now() as "isDue" from jobs where ended_at is null`,
    ),
  );
  expect(left).toEqual({ attempts: 1, isDue: true });
  expect(await takeNext()).toEqual({ n: 1 });
});

test("a scheduled job is queued once in its span, by however many processes", async () => {
  await Promise.all([1, 2, 3].map(() => enqueueScheduledJob(QUEUE, 86_400)));
  await takeNext();
  await enqueueScheduledJob(QUEUE, 86_400);
  expect(await listStates()).toEqual(["completed"]);
});

test("what was to wait until a clock's moment in the future is done soon after the clock was set right", async () => {
  const { pointSystemId } = await scene();
  await enqueue({ n: 1 });
  await withDatabase(async (db) => {
    await db.execute(sql`
      insert into webhook_endpoints (point_system_id, id, url, event_types, ledger_seq, due_at,
        leased_until, failures, secret_ciphertext, secret_nonce, secret_key_id)
      select ${pointSystemId}::uuid, gen_random_uuid(), 'https://example.com', '{boosts}', 0,
        now() + ahead, now() + ahead, failures, 'x', 'x', 'k1'
      from (values (interval '1 day', 0), ('1 day', 6), ('10 s', 0), ('6 hours', 6)) t(ahead, failures)`);
    await db.execute(sql`
      insert into chain_followers (chain_id, lease_until)
      values (-1, now() + interval '1 day'), (-2, now() + interval '10 s')`);
    await db.execute(sql`update jobs set run_after = now() + interval '1 day'`);
  });
  expect(await takeNext()).toBeNull();
  await bringTimesBack();
  expect(await takeNext()).toEqual({ n: 1 });
  const rows = await withDatabase((db) =>
    db.execute<{ seconds: number }>(sql`
      select round(extract(epoch from due_at - now()) / 10)::int * 10 as seconds
      from webhook_endpoints union all
      select round(extract(epoch from leased_until - now()) / 10)::int * 10 from webhook_endpoints
        where leased_until > now() + interval '50 s' union all
      select round(extract(epoch from lease_until - now()) / 10)::int * 10 from chain_followers
        where chain_id < 0`),
  );
  const seconds = rows.map((row) => row.seconds).sort((a, b) => a - b);
  expect(seconds).toEqual([0, 0, 10, 10, 60, 60, 60, 60, 21_600]);
});
