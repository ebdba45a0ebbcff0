import fc from "fast-check";
import { expect, test } from "vitest";
import { listActivity } from "../../../app/services/activity/activity";
import { foldActivity } from "../../../app/services/activity/activity-fold";
import { atDepth } from "../../support/depth";
import { record, voidById } from "../../support/events";
import { createOwner } from "../../support/operators";
import { waitUntil } from "../../support/server-process";
import { other } from "../../support/test-database";

const DATES = ["2026-03-01T00:00:00.000Z", "2026-03-01T00:00:00.001Z", "2026-03-04T12:00:00.000Z"];
const WALLETS = [`0x${"1".repeat(40)}`, `0x${"2".repeat(40)}`] as const;
const PIECE_SIZE = 3;

const credits = fc.array(
  fc.record({
    address: fc.constantFrom(...WALLETS),
    points: fc.integer({ min: 1, max: 500 }),
    event: fc.constant(null),
    date: fc.option(fc.constantFrom(...DATES).map((text) => new Date(text))),
  }),
  { minLength: 1, maxLength: 20 },
);
const step = fc.oneof(
  { weight: 3, arbitrary: credits },
  { weight: 3, arbitrary: fc.record({ fold: fc.integer({ min: 1, max: 25 }) }) },
  { weight: 2, arbitrary: fc.record({ void: fc.array(fc.nat(), { minLength: 1, maxLength: 8 }) }) },
);

test("a page by counts is the page by offset, between credits, voids and counting", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const owner = await createOwner();
      const { pointSystemId } = owner;
      const standing: string[] = [];
      for (const next of steps) {
        if (Array.isArray(next)) {
          const events = next.map((event) => ({ ...event, date: event.date ?? new Date() }));
          standing.push(...(await record(pointSystemId, events)));
        } else if ("fold" in next) {
          await foldActivity(pointSystemId, next.fold, PIECE_SIZE);
        } else {
          for (const pick of next.void) {
            const [id] = standing.splice(pick % Math.max(1, standing.length), 1);
            if (id) await voidById(owner, id, null);
          }
        }
        const all = await other<{ id: string }[]>`
          select e.id from point_events e
          where e.point_system_id = ${pointSystemId} and e.voids is null and not exists (
            select from point_events c where c.point_system_id = e.point_system_id and c.voids = e.id
          )
          order by e.created_at desc, e.id desc`;
        for (const limit of [1, 4, 7]) {
          // An offset above -1 is deep: every page is found by the counts.
          const pages = await other<{ page: number; ids: string[] }[]>`
            select n::int as page, array(
              select id::text from list_activity(${pointSystemId}, n * ${limit}, ${limit}, -1, 20)
            ) as ids
            from generate_series(0, ${Math.ceil(all.length / limit)}::bigint) n order by n`;
          for (const { page, ids } of pages) {
            const expected = all.slice(page * limit, (page + 1) * limit).map(({ id }) => id);
            expect(ids).toEqual(expected);
          }
        }
      }
    }),
    { numRuns: atDepth(25, 100) },
  );
}, 120_000);

test("with plans from when there were 30 events, each page of 200,000 comes soon, without statistics", async () => {
  const { pointSystemId } = await createOwner();
  await other`alter table point_events set (autovacuum_enabled = off)`;
  const add = (from: number, to: number) => other`
    insert into point_events (point_system_id, id, address, points, balance, created_at)
    select ${pointSystemId}, gen_random_uuid(), decode(repeat('11', 20), 'hex'), 1, n,
      -- Many have the same date, as those of an import.
      '2026-03-01'::timestamptz + (n / 20000) * interval '1 h'
    from generate_series(${from}::int, ${to}::int) n`;
  const count = (events: number) => other`
    update point_system_totals set events = ${events} where point_system_id = ${pointSystemId}`;
  const limit = 50;
  const read = async (page: number) => {
    const startedAt = performance.now();
    const { activity } = await listActivity(pointSystemId, null, { page, limit });
    expect(activity.length).toBeGreaterThan(0);
    return performance.now() - startedAt;
  };
  const EVENTS = 200_000;
  await add(1, 30);
  await count(30);
  // Every connection of the pool makes its plans, and keeps them.
  await Promise.all(Array.from({ length: 16 }, () => read(1)));
  await add(31, EVENTS);
  await count(EVENTS);
  expect(await read(1)).toBeLessThan(500);
  // While others write in this PostgreSQL, a run may count less than there is.
  const isCounted = async () => {
    while (await foldActivity(pointSystemId, 5_000));
    const [row] = await other<{ isCounted: boolean }[]>`
      select c.activity_seq = (
        select max(seq) from point_events where point_system_id = ${pointSystemId}
      ) as "isCounted"
      from statistics_cursors c where c.point_system_id = ${pointSystemId}`;
    return row?.isCounted === true;
  };
  await waitUntil(isCounted, 30_000);
  const fastest = async (page: number) => {
    const times: number[] = [];
    for (let i = 0; i < 20; i += 1) times.push(await read(page));
    return Math.min(...times);
  };
  const last = EVENTS / limit;
  const first = await fastest(1);
  for (const page of [last / 2, last]) {
    expect(await fastest(page)).toBeLessThan(5 * first + 150);
  }
}, 60_000);
