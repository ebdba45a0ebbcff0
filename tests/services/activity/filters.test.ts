import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { type ActivityFilter, isDay, type SourceChoice } from "../../../app/domain/activity/filter";
import { type Cursor, formatCursor, parseCursor } from "../../../app/domain/cursor";
import { parseUuid } from "../../../app/domain/uuid";
import { getMember, type Member } from "../../../app/services/access/members";
import { listDeletedTriggerKeys } from "../../../app/services/activity/deleted-triggers";
import {
  exportFeed,
  FEED_PAGE_SIZE,
  type FeedPage,
  listFeed,
} from "../../../app/services/activity/feed";
import { foldPointSystem } from "../../../app/services/insights/statistics-fold";
import { grantPoints } from "../../../app/services/ledger/grants";
import { deleteTrigger } from "../../../app/services/point-systems/triggers";
import { voidById } from "../../support/events";
import { commitFile, runImports, toCsv } from "../../support/imports";
import { createOwner, findOwner } from "../../support/operators";
import { createAddress, scene } from "../../support/scene";

const ALL: ActivityFilter = { address: null, trigger: null, firstDay: null, lastDay: null };
const FIRST = null;
const MINUTE_MS = 60_000;
const START = Date.UTC(2026, 0, 1);

interface Row {
  address: `0x${string}`;
  event: string | null;
  date: Date;
}

/** Writes events without the services, so that they can be many and of any age. */
async function insertEvents({ pointSystemId }: Member, rows: readonly Row[]): Promise<void> {
  // A slow machine too writes this many within the deadline of a statement.
  const rowsPerStatement = 5_000;
  for (let start = 0; start < rows.length; start += rowsPerStatement) {
    const values = rows.slice(start, start + rowsPerStatement).map(({ address, event, date }) => ({
      address: address.slice(2),
      event,
      date: date.toISOString(),
    }));
    await withDatabase((db) =>
      db.execute(sql`
        insert into point_events (point_system_id, id, address, points, balance, event, created_at)
        select ${pointSystemId}::uuid, gen_random_uuid(), decode(e.address, 'hex'), 5, 5, e.event, e.date
        from jsonb_to_recordset(${JSON.stringify(values)}::text::jsonb)
          as e(address text, event text, date timestamptz)`),
    );
  }
}

/** Creates events one minute apart, the first at the start of 2026. */
const createRows = (count: number, make: (i: number) => Partial<Row> = () => ({})): Row[] =>
  Array.from({ length: count }, (_, i) => ({
    address: createAddress(),
    event: "daily_login",
    date: new Date(START + i * MINUTE_MS),
    ...make(i),
  }));

const minutesOf = (page: Pick<FeedPage, "events">) =>
  page.events.map(({ date }) => (date.getTime() - START) / MINUTE_MS);
const countDown = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, i) => from - i);

/** Reads every page from the newest to the oldest. */
async function readPages(member: Member, filter: ActivityFilter): Promise<FeedPage[]> {
  const pages = [await listFeed(member, filter, FIRST)];
  for (let last = pages[0]; last?.olderThan; last = pages.at(-1)) {
    pages.push(await listFeed(member, filter, last.olderThan));
  }
  return pages;
}

async function exportIds(member: Member, filter: ActivityFilter): Promise<string[]> {
  const ids: string[] = [];
  for await (const events of exportFeed(member, filter)) ids.push(...events.map(({ id }) => id));
  return ids;
}

test("pages go to the oldest event and back to the newest without a gap or a repeat", async () => {
  const owner = await createOwner();
  // Groups of seven share one time: the id decides the order within them.
  const rows = createRows(160, (i) => ({ date: new Date(START + Math.floor(i / 7) * MINUTE_MS) }));
  await insertEvents(owner, rows);
  const pages = await readPages(owner, ALL);
  expect(pages.map(({ events }) => events.length)).toEqual([50, 50, 50, 10]);
  const ids = pages.flatMap(({ events }) => events.map(({ id }) => id));
  expect(new Set(ids).size).toBe(160);
  const minutes = pages.flatMap(minutesOf);
  expect(minutes).toEqual(minutes.toSorted((a, b) => b - a));

  expect(pages[0]?.newerThan).toBeNull();
  const back: FeedPage[] = [];
  for (let cursor = pages[3]?.newerThan; cursor; cursor = back.at(-1)?.newerThan) {
    back.push(await listFeed(owner, ALL, cursor));
  }
  expect(back.map(({ events }) => events)).toEqual(
    [pages[2], pages[1], pages[0]].map((page) => page?.events),
  );
});

test("going to newer events ends with a full newest page", async () => {
  const owner = await createOwner();
  await insertEvents(owner, createRows(60));
  const [first, second] = await readPages(owner, ALL);
  await insertEvents(
    owner,
    createRows(3, (i) => ({ date: new Date(START + (100 + i) * MINUTE_MS) })),
  );
  const cursor: Cursor = first?.olderThan ?? { side: "newer", date: new Date(), id: "" };
  const third = await listFeed(owner, ALL, second?.newerThan ?? cursor);
  expect(third.events).toEqual(first?.events);
  const newest = await listFeed(owner, ALL, third.newerThan ?? cursor);
  expect(newest.events).toHaveLength(FEED_PAGE_SIZE);
  expect(newest.newerThan).toBeNull();
  expect(minutesOf(newest).slice(0, 4)).toEqual([102, 101, 100, 59]);
});

test("each filter leaves exactly its events, alone and together", async () => {
  const owner = await createOwner();
  const [a, b] = [createAddress(), createAddress()];
  const keys = ["daily_login", "purchase", null];
  await insertEvents(
    owner,
    createRows(12, (i) => ({
      address: i % 2 === 0 ? a : b,
      event: keys[i % 3] ?? null,
      date: new Date(START + i * 12 * 60 * MINUTE_MS),
    })),
  );
  const read = async (filter: Partial<ActivityFilter>) =>
    minutesOf(await listFeed(owner, { ...ALL, ...filter }, FIRST)).map((m) => m / (12 * 60));
  expect(await read({})).toEqual(countDown(11, 0));
  expect(await read({ address: a })).toEqual([10, 8, 6, 4, 2, 0]);
  expect(await read({ trigger: { key: "purchase" } })).toEqual([10, 7, 4, 1]);
  expect(await read({ trigger: { key: null } })).toEqual([11, 8, 5, 2]);
  expect(await read({ trigger: { key: "never_there" } })).toEqual([]);
  expect(await read({ firstDay: "2026-01-02", lastDay: "2026-01-02" })).toEqual([3, 2]);
  expect(await read({ firstDay: "2026-01-05" })).toEqual([11, 10, 9, 8]);
  expect(await read({ lastDay: "2026-01-01" })).toEqual([1, 0]);
  expect(
    await read({
      address: a,
      trigger: { key: null },
      firstDay: "2026-01-02",
      lastDay: "2026-01-05",
    }),
  ).toEqual([8, 2]);
});

test("a voided event is shown as one, and its correction is not", async () => {
  const owner = await createOwner();

  const address = createAddress();
  await grantPoints(owner, { address: address, points: 7, note: null });
  await grantPoints(owner, { address: address, points: 9, note: null });
  const before = await listFeed(owner, ALL, FIRST);
  await voidById(owner, before.events[1]?.id ?? "", "twice");
  const { events } = await listFeed(owner, { ...ALL, address }, FIRST);
  expect(events).toEqual([before.events[0], { ...before.events[1], isVoided: true }]);
  expect(events).toMatchObject([{ points: 9 }, { points: 7 }]);
});

test("imports, manual grants and voided events are told apart", async () => {
  const owner = await createOwner();
  const [imported, granted] = [createAddress(), createAddress()];
  await commitFile(owner, toCsv([[imported, 7]]));
  await runImports();
  await grantPoints(owner, { address: granted, points: 9, note: null });
  const read = async (trigger: SourceChoice) =>
    (await listFeed(owner, { ...ALL, trigger }, FIRST)).events.map(({ address }) => address);
  expect(await read({ only: "imports" })).toEqual([imported]);
  expect(await read({ key: null })).toEqual([granted]);
  expect(await read({ only: "voided" })).toEqual([]);
  const [grant] = (await listFeed(owner, { ...ALL, address: granted }, FIRST)).events;
  await voidById(owner, grant?.id ?? "", "twice");
  expect(await read({ only: "voided" })).toEqual([granted]);
});

test("the keys of deleted triggers that have events are listed", async () => {
  const { pointSystemId, fire } = await scene({ trigger: { key: "daily_login", points: 10 } });
  expect((await fire()).status).toBe(200);
  await foldPointSystem(pointSystemId, 1_000);
  const owner = await findOwner(pointSystemId);
  expect(await listDeletedTriggerKeys(owner)).toEqual([]);
  await deleteTrigger(owner, "daily_login");
  expect(await listDeletedTriggerKeys(owner)).toEqual(["daily_login"]);
});

test("a rare trigger is looked for in bounded steps, none of which passes over an event", async () => {
  const owner = await createOwner();
  const found = [5, 21_000, 21_001, 44_990];
  const rows = createRows(45_000, (i) => ({ event: found.includes(i) ? "rare" : "daily_login" }));
  await insertEvents(owner, rows);
  const filter = { ...ALL, trigger: { key: "rare" } };
  const pages = await readPages(owner, filter);
  expect(pages.map(({ cutShortAt }) => cutShortAt)).toEqual(["older", "older", null]);
  expect(pages.map(minutesOf)).toEqual([[44_990], [21_001, 21_000], [5]]);
  const nowhere = { date: new Date(), id: owner.pointSystemId };
  const up = await listFeed(owner, filter, {
    ...(pages[1]?.olderThan ?? nowhere),
    side: "newer",
  });
  expect(up.cutShortAt).toBe("newer");
  expect(minutesOf(up)).toEqual([21_001, 21_000]);
  expect(await exportIds(owner, filter)).toEqual(
    pages.flatMap(({ events }) => events.map(({ id }) => id)),
  );
});

test("an export holds every event once, also those that came while it was read", async () => {
  const owner = await createOwner();
  await insertEvents(owner, createRows(4_100));
  const ids: string[] = [];
  for await (const events of exportFeed(owner, ALL)) {
    ids.push(...events.map(({ id }) => id));
    await insertEvents(
      owner,
      createRows(5, () => ({ date: new Date() })),
    );
  }
  expect(ids).toHaveLength(4_100);
  expect(new Set(ids).size).toBe(4_100);
});

test("another point system's events are in no list", async () => {
  const owner = await createOwner();
  const other = await createOwner();
  const eve = await getMember(other.actor, other.pointSystemId, "viewer");
  await insertEvents(owner, createRows(3));
  const page = await listFeed(owner, ALL, FIRST);
  const ofEve: Cursor = { side: "newer", date: new Date(0), id: eve.pointSystemId };
  for (const cursor of [FIRST, ofEve]) {
    expect(await listFeed(eve, ALL, cursor)).toMatchObject({ events: [], olderThan: null });
  }
  expect(page.events).toHaveLength(3);
  expect(await exportIds(eve, ALL)).toEqual([]);
});

test("a page of the feed reads no further than needed, without statistics", async () => {
  const owner = await createOwner();
  const wallets = Array.from({ length: 20 }, createAddress);
  await insertEvents(
    owner,
    createRows(2_000, (i) => ({ address: wallets[i % wallets.length] as `0x${string}` })),
  );
  const readBlocks = async (wallet: Buffer | null, isUpwards: boolean) => {
    const [row] = await withDatabase((db) =>
      db.execute<{ "QUERY PLAN": { Plan: Record<string, number> }[] }>(sql`
        explain (analyze, buffers, format json) select * from list_events(
          ${owner.pointSystemId}, ${wallet}, ${isUpwards ? "-infinity" : "infinity"},
          ${owner.pointSystemId}, ${isUpwards ? "infinity" : "-infinity"}, ${isUpwards}, true, 0, 10)`),
    );
    const { Plan: plan } = row?.["QUERY PLAN"][0] ?? {};
    expect(plan?.["Actual Rows"]).toBe(10);
    return plan?.["Shared Hit Blocks"];
  };
  const wallet = Buffer.from(wallets[7]?.slice(2) ?? "", "hex");
  for (const isUpwards of [false, true]) {
    await readBlocks(null, isUpwards);
    await readBlocks(wallet, isUpwards);
    // The second time, the plans are there. Each row may cost a block of its own.
    expect(await readBlocks(null, isUpwards)).toBeLessThan(30);
    expect(await readBlocks(wallet, isUpwards)).toBeLessThan(60);
  }
});

test("cursors and days are taken as they are written, and nothing else is", () => {
  const cursor: Cursor = {
    side: "older",
    date: new Date(START + 123),
    id: "01900000-0000-7000-8000-000000000000",
  };
  expect(parseCursor(formatCursor(cursor), "older", parseUuid)).toEqual(cursor);
  for (const text of [
    "",
    "1",
    "x.y",
    `1e3.${cursor.id}`,
    `${"9".repeat(15)}.${cursor.id}`,
    "1.x",
  ]) {
    expect(parseCursor(text, "older", parseUuid), text).toBeNull();
  }
  expect(["2026-02-28", "2024-02-29", "9999-12-31"].every(isDay)).toBe(true);
  for (const day of ["2026-02-29", "2026-13-01", "0000-01-01", "26-01-01", "2026-1-1", "today"]) {
    expect(isDay(day), day).toBe(false);
  }
});
