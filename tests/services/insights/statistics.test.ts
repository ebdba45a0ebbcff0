import { sql } from "drizzle-orm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { createEventId } from "../../../app/domain/ledger/event-id";
import { undoImport } from "../../../app/services/imports/steps";
import { getStatistics } from "../../../app/services/insights/statistics";
import { foldPointSystem, statisticsFold } from "../../../app/services/insights/statistics-fold";
import { appendToLedger } from "../../../app/services/ledger/append";
import { grantPoints } from "../../../app/services/ledger/grants";
import { writeLedger } from "../../../app/services/ledger/write-ledger";
import { atDepth } from "../../support/depth";
import { record, voidById } from "../../support/events";
import { commitFile, runImports, toCsv } from "../../support/imports";
import { createOwner, findOwner } from "../../support/operators";
import { createAddress, scene } from "../../support/scene";

const WALLETS = [0, 1, 2].map((n) => `0x${n.toString(16).repeat(40)}` as const);
// Times around midnight UTC, which other time zones would count to another day.
const DATES = [
  "2026-03-01T00:00:00.000Z",
  "2026-03-01T23:59:59.999Z",
  "2026-03-02T00:00:00.000Z",
  "2026-03-04T12:00:00.000Z",
];

const credit = fc.record({
  address: fc.constantFrom(...WALLETS),
  points: fc.integer({ min: 1, max: 500 }),
  event: fc.constantFrom("login", "purchase", null),
  date: fc.constantFrom(...DATES).map((text) => new Date(text)),
});

interface Counts {
  day: string;
  key: string | null;
  points: number;
  events: number;
  wallets: number;
  lastFiredAt: string | null;
}

/** Reads the statistics: days, then triggers' days. */
async function readStatistics(pointSystemId: string): Promise<Counts[]> {
  return [
    ...(await withDatabase((db) =>
      db.execute<Counts & Record<string, unknown>>(sql`
        select day::text as day, null as key, points::int as points, events::int as events,
          active_wallets::int as wallets, null as "lastFiredAt"
        from daily_totals where point_system_id = ${pointSystemId}
        union all
        select day::text, trigger_key, points::int, events::int, 0,
          to_char(last_fired_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        from daily_trigger_totals where point_system_id = ${pointSystemId}
        order by key nulls first, day`),
    )),
  ];
}

interface Recorded {
  day: string;
  event: string | null;
  address: string;
  points: number;
  date: string;
  isVoided: boolean;
}

/** Counts the same from the ledger itself, event by event. */
async function recount(pointSystemId: string): Promise<Counts[]> {
  const events = await withDatabase((db) =>
    db.execute<Recorded & Record<string, unknown>>(sql`
      select (e.created_at at time zone 'UTC')::date::text as day, e.event, e.points::int as points,
        encode(e.address, 'hex') as address,
        to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as date,
        exists (
          select from point_events c where c.point_system_id = e.point_system_id and c.voids = e.id
        ) as "isVoided"
      from point_events e where e.point_system_id = ${pointSystemId} and e.voids is null`),
  );
  const found = new Map<string, Counts & { addresses: Set<string> }>();
  const count = (key: string | null, event: Recorded) => {
    const { day, points, date, isVoided, address } = event;
    const id = `${key} ${day}`;
    const counts = found.get(id) ?? {
      ...{ day, key, points: 0, events: 0, wallets: 0, lastFiredAt: null },
      addresses: new Set(),
    };
    found.set(id, counts);
    if (!isVoided) {
      counts.points += points;
      counts.events += 1;
    }
    if (key === null) counts.wallets = counts.addresses.add(address).size;
    else if (!counts.lastFiredAt || counts.lastFiredAt < date) counts.lastFiredAt = date;
  };
  for (const event of events) {
    count(null, event);
    if (event.event !== null) count(event.event, event);
  }
  const order = ({ key, day }: Counts) => `${key ?? ""} ${day}`;
  return [...found.values()]
    .map(({ addresses: _, ...counts }) => counts)
    .sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

test("folded in chunks of any size, between credits and voids, the statistics are those of a recount", async () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.array(credit, { minLength: 1, maxLength: 8 }) },
    { weight: 2, arbitrary: fc.record({ fold: fc.integer({ min: 1, max: 9 }) }) },
    { weight: 1, arbitrary: fc.record({ void: fc.nat() }) },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 14 }),
      fc.integer({ min: 1, max: 30 }),
      async (steps, lastChunk) => {
        const owner = await createOwner();
        const { pointSystemId } = owner;
        const standing: string[] = [];
        for (const next of steps) {
          if (Array.isArray(next)) standing.push(...(await record(pointSystemId, next)));
          else if ("fold" in next) await foldPointSystem(pointSystemId, next.fold);
          else {
            const [id] = standing.splice(next.void % Math.max(1, standing.length), 1);
            if (id) await voidById(owner, id, null);
          }
        }
        while ((await foldPointSystem(pointSystemId, lastChunk)) > 0);
        expect(await readStatistics(pointSystemId)).toEqual(await recount(pointSystemId));
      },
    ),
    { numRuns: atDepth(6, 40) },
  );
}, 120_000);

test("an event that is not committed yet is counted once it is, also when others wait behind it", async () => {
  const owner = await createOwner();
  const { pointSystemId } = owner;
  const address = createAddress();
  let commit = () => {};
  const mayCommit = new Promise<void>((resolve) => {
    commit = resolve;
  });
  const date = new Date("2026-03-01T12:00:00.000Z");
  let hasInserted = () => {};
  const inserted = new Promise<void>((resolve) => {
    hasInserted = resolve;
  });
  const slow = writeLedger(pointSystemId, async (tx) => {
    const events = [{ id: createEventId(), address, points: 5, event: "login", date }];
    await appendToLedger(tx, pointSystemId, { events, registered: [], registeredAt: date });
    hasInserted();
    await mayCommit;
  });
  await inserted;
  const behind = grantPoints(owner, { address, points: 7, note: null });
  expect(await foldPointSystem(pointSystemId, 100)).toBe(0);
  commit();
  await Promise.all([slow, behind]);
  expect(await foldPointSystem(pointSystemId, 100)).toBe(2);
  expect(await readStatistics(pointSystemId)).toEqual(await recount(pointSystemId));
});

test("of any number of folds at once, each event is counted by one", async () => {
  const { pointSystemId } = await createOwner();
  const date = new Date("2026-03-01T12:00:00.000Z");
  const events = Array.from({ length: 60 }, (_, i) => ({
    address: WALLETS[i % 3] ?? "0x",
    points: i + 1,
    event: "login",
    date,
  }));
  await record(pointSystemId, events);
  let counted = 0;
  while (counted < 60) {
    const folds = Array.from({ length: 6 }, () => foldPointSystem(pointSystemId, 7));
    for (const each of await Promise.all(folds)) counted += each;
  }
  expect(counted).toBe(60);
  expect(await readStatistics(pointSystemId)).toEqual(await recount(pointSystemId));
});

test("a deleted point system is counted no more", async () => {
  const owner = await createOwner();
  const { pointSystemId } = owner;
  await grantPoints(owner, { address: createAddress(), points: 5, note: null });
  await withDatabase((db) =>
    db.execute(sql`update point_systems set deleted_at = now() where id = ${pointSystemId}`),
  );
  await statisticsFold.run();
  expect(await foldPointSystem(pointSystemId, 10)).toBe(0);
  expect(await readStatistics(pointSystemId)).toEqual([]);
});

test("the job counts what every point system has, and then finds nothing to do", async () => {
  const scenes = await Promise.all([scene(), scene()]);
  for (const { fire } of scenes) expect((await fire()).status).toBe(200);
  while (await statisticsFold.run());
  for (const { pointSystemId } of scenes) {
    const [today, trigger] = await readStatistics(pointSystemId);
    expect(today).toMatchObject({ points: 10, events: 1, wallets: 1 });
    expect(trigger).toMatchObject({ key: "daily_login", points: 10, events: 1 });
  }
  expect(await statisticsFold.run()).toBe(false);
});

test("a range has every day, oldest first and today last, and its triggers by points", async () => {
  const owner = await createOwner();
  const { pointSystemId } = owner;
  const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60 * 1_000);
  const [first, second] = [createAddress(), createAddress()];
  await withDatabase((db) =>
    db.execute(sql`insert into triggers (point_system_id, key, name, points)
      values (${pointSystemId}, 'login', 'Daily login', 10)`),
  );
  await record(pointSystemId, [
    { address: first, points: 30, event: "login", date: daysAgo(0) },
    { address: second, points: 10, event: "gone", date: daysAgo(0) },
    { address: second, points: 60, event: null, date: daysAgo(2) },
    { address: second, points: 1_000, event: "gone", date: daysAgo(8) },
    // A file can date events ahead.
    { address: first, points: 7, event: "login", date: daysAgo(-1) },
  ]);
  while (await statisticsFold.run());

  const week = await getStatistics(owner, 7);
  expect(week.days.map(({ points }) => points)).toEqual([0, 0, 0, 0, 60, 0, 40]);
  expect(week.days.map(({ activeWallets }) => activeWallets)).toEqual([0, 0, 0, 0, 1, 0, 2]);
  expect(week.days.at(-1)?.day).toBe(daysAgo(0).toISOString().slice(0, 10));
  expect(week.points).toBe(100);
  expect(week.dailyWallets).toBeCloseTo(3 / 7);
  expect(week.before).toEqual({ points: 1_000, dailyWallets: 1 / 7 });
  expect(week.topTriggers).toEqual([
    { key: "login", name: "Daily login", points: 30, events: 1, share: 0.3 },
    { key: "gone", name: null, points: 10, events: 1, share: 0.1 },
  ]);
  const month = await getStatistics(owner, 30);
  expect(month.days).toHaveLength(30);
  expect(month.before).toBeNull();
  expect(month.topTriggers.map(({ key, points }) => [key, points])).toEqual([
    ["gone", 1_010],
    ["login", 30],
  ]);
  const other = await getStatistics(await createOwner(), 90);
  expect(other.points).toBe(0);
  expect(other.topTriggers).toEqual([]);
});

test.each([
  ["counted in between", true],
  ["counted at the end", false],
])(
  "a wallet that earns again on the day on which its import was undone is active once: %s",
  async (_when, isCounted) => {
    const { pointSystemId, fire } = await scene();
    const member = await findOwner(pointSystemId);
    const [returning, leaving] = [createAddress(), createAddress()];
    const count = async () => {
      while ((await foldPointSystem(pointSystemId, 100)) > 0);
    };
    const rows = [returning, leaving].map((address) => [address, 5] as const);
    const id = await commitFile(member, toCsv(rows));
    await runImports();
    if (isCounted) await count();
    await undoImport(member, id);
    await runImports();
    if (isCounted) await count();
    expect((await fire({ walletAddress: returning })).status).toBe(200);
    await count();
    const days = await readStatistics(pointSystemId);
    expect(days.filter(({ key }) => key === null).map(({ wallets }) => wallets)).toEqual([2]);
  },
);
