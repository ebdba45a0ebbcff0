import { sql } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { inTransaction } from "../../../app/db/client";
import { foldActivity } from "../../../app/services/activity/activity-fold";
import { ranksFold } from "../../../app/services/board/rank-counts";
import { statisticsFold } from "../../../app/services/insights/statistics-fold";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { writeLedger } from "../../../app/services/ledger/write-ledger";
import { createFold, foldInTime } from "../../../app/services/point-systems/fold";
import { startQueue } from "../../../app/worker/queue";
import { grant } from "../../support/operators";
import { act, createWorld, expectExact, WALLETS } from "../../support/ranked-board";
import { other } from "../../support/test-database";

const [wallet, second] = WALLETS as [`0x${string}`, `0x${string}`];
afterEach(() => vi.restoreAllMocks());

/** Lets rests of this many milliseconds be over. */
function skip(ms: number): void {
  const now = performance.now() + ms;
  vi.spyOn(performance, "now").mockReturnValue(now);
}

/** Fails as a statement that takes too long. */
const sleepTooLong = () =>
  foldInTime(10, async (tx) => {
    await tx.execute(sql`select pg_sleep(5)`);
    return 0;
  });

test("counts that a check refuses stop no other point system's, and are rebuilt once", async () => {
  const worlds = [await createWorld(), await createWorld(), await createWorld()];
  worlds.sort((a, b) => (a.pointSystemId < b.pointSystemId ? -1 : 1));
  const [broken] = worlds as [(typeof worlds)[number]];
  for (const world of worlds) {
    await act(world, { kind: "credit", calls: [{ wallet, points: 16 }] });
  }
  while (await ranksFold.run());
  await other`delete from rank_counts where point_system_id = ${broken.pointSystemId}`;
  for (const world of worlds) await grant(world.member, wallet, 1);

  const reports: unknown[] = [];
  const report = (error: unknown) => reports.push(error);
  while (await ranksFold.run({ report }));
  const { tails, failing } = await ranksFold.measure();
  expect(tails).toEqual([{ pointSystemId: broken.pointSystemId, entries: 1 }]);
  expect(failing).toEqual([broken.pointSystemId]);
  expect(reports.map(String)).toEqual([
    `Error: The ranks of point system ${broken.pointSystemId} cannot be counted`,
    `Error: The ranks of point system ${broken.pointSystemId} are rebuilt`,
  ]);

  skip(2_000);
  await ranksFold.run({ report });
  expect(reports.length).toBe(2);
  // A rebuild that was given up is ordered once more.
  const giveUp = await other`
    update jobs set state = 'failed' where queue = 'rebuild-ranks' and state = 'waiting'`;
  expect(giveUp.count).toBe(1);
  skip(4_000);
  await ranksFold.run({ report });
  skip(60_000);
  await ranksFold.run({ report });
  expect(reports.splice(2).map(String)).toEqual([
    `Error: The ranks of point system ${broken.pointSystemId} are rebuilt`,
  ]);
  vi.restoreAllMocks();
  const queue = startQueue((_, error) => reports.push(error));
  await expect
    .poll(async () => (await verifyLedger()).differences, { timeout: 20_000 })
    .toEqual([]);
  await queue.stop();
  await grant(broken.member, second, 1);
  skip(300_000);
  await ranksFold.run({ report });
  expect(await ranksFold.measure()).toEqual({ tails: [], failing: [] });
  expect(reports.length).toBe(2);
  for (const { pointSystemId } of worlds) await expectExact(pointSystemId, 4);
});

test("a statement that takes too long is tried again with half as many entries, others' meanwhile", async () => {
  const [slow, quick] = [await createWorld(), await createWorld()];
  const tried: number[] = [];
  let quickFolds = 0;
  const ids = [slow.pointSystemId, quick.pointSystemId];
  const fold = createFold({
    name: "tests",
    hasTail: sql`t.id in (${sql.join(ids, sql`, `)})`,
    listTail: () => sql`select`,
    entriesMax: () => 1_000,
    fold: async (id, entriesMax) => {
      if (id === quick.pointSystemId) quickFolds += 1;
      if (id !== slow.pointSystemId) return 0;
      tried.push(entriesMax);
      await inTransaction(async (tx) => {
        await tx.execute(sql`set local statement_timeout = 300`);
        await tx.execute(sql`select pg_sleep(${entriesMax > 300 ? 5 : 0}::int)`);
      });
      return 1;
    },
  });
  const reports: unknown[] = [];
  for (let run = 1; run <= 6; run += 1) {
    await fold.run({ report: (error) => reports.push(error) });
    skip(300_000);
  }
  expect(tried).toEqual([1_000, 500, 250, 275, 303, 151]);
  expect(quickFolds).toBe(6);
  expect(reports.length).toBe(1);
});

test("a point system whose ledger another holds stops no other one's fold", async () => {
  const ids = [await createWorld(), await createWorld()].map(({ pointSystemId }) => pointSystemId);
  const [locked, free] = ids.sort();
  const written: string[] = [];
  const fold = createFold({
    name: "tests",
    hasTail: sql`t.id in (${sql.join(ids, sql`, `)})`,
    listTail: () => sql`select`,
    entriesMax: () => 1_000,
    fold: (id) => writeLedger(id, async () => written.push(id)),
  });
  await other.begin(async (tx) => {
    await tx`select lock_ledger(${locked as string}::uuid)`;
    const reports: unknown[] = [];
    await fold.run({ report: (error) => reports.push(error) });
    expect(reports.length).toBe(1);
  });
  expect(written).toEqual([free]);
});

test("one in trouble stays so while another process counts it, until all is counted", async () => {
  const { pointSystemId, member } = await createWorld();
  await grant(member, wallet, 1);
  const tried: number[] = [];
  const answers = [() => sleepTooLong(), async () => 0, async () => 50, async () => 0];
  const fold = createFold({
    name: "tests",
    hasTail: sql`t.id = ${pointSystemId} and t.event_seq > t.activity_seq`,
    listTail: () => sql`select`,
    entriesMax: () => 100,
    fold: (_, entriesMax) => {
      tried.push(entriesMax);
      return answers.shift()?.() ?? Promise.reject(new Error("There is no answer left"));
    },
  });
  const step = async () => {
    await fold.run({ report: () => {} });
    const { failing } = await fold.measure();
    skip(300_000);
    return failing;
  };
  expect(await step()).toEqual([pointSystemId]);
  // Another process counts now.
  expect(await step()).toEqual([pointSystemId]);
  // Its own turn, with half as many entries: there are more, though nobody writes.
  expect(await step()).toEqual([]);
  await foldActivity(pointSystemId, 5_000);
  for (let round = 1; round <= 4; round += 1) expect(await step()).toEqual([]);
  expect(tried).toEqual([100, 50, 50]);
});

test("an event that was being written while all else was counted is counted once it is there", async () => {
  const { pointSystemId } = await createWorld();
  while (await statisticsFold.run());
  const found = async () => {
    const { tails } = await statisticsFold.measure();
    return tails.filter((tail) => tail.pointSystemId === pointSystemId);
  };
  await other.begin(async (tx) => {
    await tx`
      insert into point_events (point_system_id, id, address, points, balance, created_at)
      values (${pointSystemId}, gen_random_uuid(), decode(repeat('00', 20), 'hex'), 1, 1, now())`;
    for (let round = 1; round <= 4; round += 1) await statisticsFold.run();
  });
  expect(await found()).toEqual([{ pointSystemId, entries: 1 }]);
  await statisticsFold.run();
  expect(await found()).toEqual([]);
});
