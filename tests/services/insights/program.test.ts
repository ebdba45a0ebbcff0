import { sql } from "drizzle-orm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { hashApiKeyToken } from "../../../app/domain/access/api-key";
import type { Address } from "../../../app/domain/address";
import { Failure } from "../../../app/domain/failure";
import { countSeasonDays } from "../../../app/domain/insights/program";
import { authorizeScope } from "../../../app/services/access/authorization";
import { openSeasonTotal } from "../../../app/services/board/board-fill";
import { createBoard } from "../../../app/services/board/boards";
import { foldRanks } from "../../../app/services/board/rank-counts";
import { undoImport } from "../../../app/services/imports/steps";
import { getProgram } from "../../../app/services/insights/program";
import { foldProgram, programFold } from "../../../app/services/insights/program-fold";
import { flushRefusedCalls, noteRefusedCall } from "../../../app/services/insights/refused-calls";
import { foldPointSystem } from "../../../app/services/insights/statistics-fold";
import { addToBlacklist } from "../../../app/services/ledger/blacklist";
import { reverseSpend, spendPoints } from "../../../app/services/ledger/spending";
import { setTiers } from "../../../app/services/progress/tiers";
import { linkWallets } from "../../../app/services/wallet-links/links";
import { atDepth } from "../../support/depth";
import { record, voidById } from "../../support/events";
import { commitFile, runImports, toCsv } from "../../support/imports";
import { takeClock } from "../../support/moved-clock";
import { createOwner, findOwner, grant } from "../../support/operators";
import { createAddress, scene } from "../../support/scene";
import { other, readAtOnce } from "../../support/test-database";

const HOUR_MS = 3_600_000;
const WALLETS = ["00", "02", "83", "ff"].map((end): Address => `0x${"5a".repeat(19)}${end}`);
/** A Saturday: the week ends soon, and with it the stretch of time that the index of wallets knows. */
const START = new Date("2026-03-28T20:00:00Z");

const clock = takeClock();

const wallet = fc.constantFrom(...WALLETS);
const points = fc.constantFrom(1, 16, 300);
const kind = <Kind extends string>(name: Kind) => fc.constant(name);
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: kind("grant"), wallet, points }) },
  {
    weight: 3,
    // What a fixture loads, in any order of time.
    arbitrary: fc.record({
      kind: kind("load"),
      wallet,
      points,
      ago: fc.constantFrom(0, 30, 200, 700, 3_000),
      factor: fc.constantFrom(null, 2, 2.5),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: kind("void"), pick: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: kind("import"),
      wallets: fc.uniqueArray(wallet, { minLength: 1 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind("undo"), pick: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("spend"), wallet, points }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("reverse"), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("link"), wallet, primary: wallet }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: kind("season"), fromHours: fc.constantFrom(-400, -1, 5) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: kind("wait"), hours: fc.constantFrom(1, 30, 170, 600) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: kind("fold"), entries: fc.constantFrom(1, 3, 50) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function createWorld() {
  await (await clock).set(START);
  const { pointSystemId, token } = await scene();
  const credential = { tokenHash: hashApiKeyToken(token) };
  return {
    pointSystemId,
    member: await findOwner(pointSystemId),
    key: await authorizeScope(credential, "trigger", pointSystemId),
    imports: [] as string[],
    spends: [] as string[],
    seasons: 0,
  };
}
type World = Awaited<ReturnType<typeof createWorld>>;

/** Ignores a refusal: a refused step has no effect. */
async function tolerate<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (!(error instanceof Failure) || error.code === "service_unavailable") throw error;
    return undefined;
  });
}

const pickOf = <T>(list: readonly T[], pick: number) => list[pick % Math.max(1, list.length)];

async function act(world: World, step: Step): Promise<void> {
  const { pointSystemId, member, imports, spends, key } = world;
  const now = await (await clock).read();
  if (step.kind === "grant") await tolerate(grant(member, step.wallet, step.points));
  else if (step.kind === "load") {
    const date = new Date(now.getTime() - step.ago * HOUR_MS);
    const boost = step.factor === null ? null : { basePoints: step.points, factor: step.factor };
    const added = Math.round(step.points * (step.factor ?? 1));
    const event = { address: step.wallet, points: added, event: "daily_login", date, boost };
    await record(pointSystemId, [event]);
  } else if (step.kind === "void") {
    const events = await other<{ id: string }[]>`
      select id from point_events where point_system_id = ${pointSystemId} and voids is null order by seq`;
    const event = pickOf(events, step.pick);
    if (event) await tolerate(voidById(member, event.id));
  } else if (step.kind === "import") {
    const rows = step.wallets.map((address) => [address, 16] as const);
    const id = await tolerate(commitFile(member, toCsv(rows)));
    if (id) imports.push(id);
    await runImports();
  } else if (step.kind === "undo") {
    const id = pickOf(imports, step.pick);
    if (id) await tolerate(undoImport(member, id));
    await runImports();
  } else if (step.kind === "spend") {
    const call = { pointSystemId, walletAddress: step.wallet, points: step.points, reason: "Mug" };
    const spend = await tolerate(spendPoints(key, { ...call, idempotencyKey: null }));
    if (spend) spends.push(spend.id);
  } else if (step.kind === "reverse") {
    const id = pickOf(spends, step.pick);
    if (id) await tolerate(reverseSpend(key, pointSystemId, id));
  } else if (step.kind === "link") {
    await tolerate(linkWallets(member, { address: step.wallet, primaryAddress: step.primary }));
  } else if (step.kind === "season") {
    world.seasons += 1;
    const slug = `season-${world.seasons}`;
    const startsAt = new Date(now.getTime() + step.fromHours * HOUR_MS);
    const season = { startsAt, endsAt: new Date(startsAt.getTime() + 900 * HOUR_MS) };
    const board = { kind: "season", slug, name: slug, timeZone: "UTC", isPublic: true } as const;
    await tolerate(createBoard(member, { ...board, season }));
  } else if (step.kind === "wait") {
    await (await clock).set(new Date(now.getTime() + step.hours * HOUR_MS));
  } else await foldProgram(pointSystemId, step.entries);
}

interface Figures {
  weeks: Record<string, { newWallets: number; wallets: number }>;
  days: Record<string, { boostPoints: number; spentPoints: number }>;
  seasons: Record<string, number>;
}

/** Reads what was folded, without what adds up to nothing. */
async function readFigures(pointSystemId: string): Promise<Figures> {
  const weeks = await other<{ week: string; newWallets: number; wallets: number }[]>`
    select week::text, new_wallets::int as "newWallets", wallets::int from weekly_wallets
    where point_system_id = ${pointSystemId} and (wallets <> 0 or new_wallets <> 0)`;
  const days = await other<{ day: string; boostPoints: number; spentPoints: number }[]>`
    select day::text, boost_points::int as "boostPoints", spent_points::int as "spentPoints"
    from daily_totals where point_system_id = ${pointSystemId} and (boost_points <> 0 or spent_points <> 0)`;
  const seasons = await readAtOnce<{ slug: string; points: number }>(sql`
    select b.slug, t.points::int from boards b
    join board_windows w on w.board_id = b.id left join season_totals t on t.point_system_id = w.id
    where b.point_system_id = ${pointSystemId}`);
  return {
    weeks: Object.fromEntries(weeks.map(({ week, ...counts }) => [week, counts])),
    days: Object.fromEntries(days.map(({ day, ...counts }) => [day, counts])),
    seasons: Object.fromEntries(seasons.map(({ slug, points: sum }) => [slug, sum])),
  };
}

const dayOf = (date: Date) => date.toISOString().slice(0, 10);
const mondayOf = (date: Date) =>
  dayOf(new Date(date.getTime() - ((date.getUTCDay() + 6) % 7) * 24 * HOUR_MS));

/** Counts the same from the ledgers themselves, row by row. */
async function recount(pointSystemId: string): Promise<Figures> {
  const events = await other<{ address: string; at: Date; boost: number }[]>`
    select encode(e.address, 'hex') as address, e.created_at as at,
      coalesce(e.points - e.base_points, 0)::int as boost
    from point_events e
    where e.point_system_id = ${pointSystemId} and e.voids is null and e.moved_events is null
      and not exists (select from point_events v where v.point_system_id = e.point_system_id and v.voids = e.id)`;
  const spends = await other<{ at: Date; points: number }[]>`
    select s.created_at as at, s.points::int as points from spends s
    where s.point_system_id = ${pointSystemId} and s.reverses is null and s.moved_with is null
      and not exists (select from spends r where r.point_system_id = s.point_system_id and r.reverses = s.id)`;
  const seasons = await readAtOnce<{ slug: string; points: number }>(sql`
    select b.slug, coalesce((
      select sum(s.points) from wallets s where s.point_system_id = w.id
    ), 0)::int as points
    from boards b join board_windows w on w.board_id = b.id where b.point_system_id = ${pointSystemId}`);
  const weeksOf = new Map<string, Set<string>>();
  const days: Figures["days"] = {};
  const at = (date: Date) => {
    const day = days[dayOf(date)] ?? { boostPoints: 0, spentPoints: 0 };
    days[dayOf(date)] = day;
    return day;
  };
  for (const event of events) {
    const own = weeksOf.get(event.address) ?? new Set<string>();
    weeksOf.set(event.address, own.add(mondayOf(event.at)));
    if (event.boost !== 0) at(event.at).boostPoints += event.boost;
  }
  for (const spend of spends) at(spend.at).spentPoints += spend.points;
  const weeks: Figures["weeks"] = {};
  for (const own of weeksOf.values()) {
    const [first] = [...own].sort();
    for (const week of own) {
      const counts = weeks[week] ?? { newWallets: 0, wallets: 0 };
      weeks[week] = counts;
      counts.wallets += 1;
      if (week === first) counts.newWallets += 1;
    }
  }
  return {
    weeks,
    days,
    seasons: Object.fromEntries(seasons.map(({ slug, points: sum }) => [slug, sum])),
  };
}

async function openSeasonTotals(pointSystemId: string) {
  const windows = await other<{ windowId: string }[]>`
    select id as "windowId" from board_windows where point_system_id = ${pointSystemId}`;
  for (const { windowId } of windows) await openSeasonTotal({ pointSystemId, windowId });
}

async function foldAll(pointSystemId: string, entries: number) {
  while ((await foldProgram(pointSystemId, entries)) > 0);
}

test("of any history, folded in chunks of any size, the figures are those of a recount, and of a fold from zero", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 3, maxLength: 30 }),
      fc.constantFrom(1, 4, 100),
      async (steps, entries) => {
        const world = await createWorld();
        const { pointSystemId } = world;
        for (const next of steps) await act(world, next);
        await foldAll(pointSystemId, entries);
        const expected = await recount(pointSystemId);
        expect(await readFigures(pointSystemId)).toEqual(expected);

        await other.begin(async (tx) => {
          await tx`delete from weekly_wallets where point_system_id = ${pointSystemId}`;
          await tx`delete from wallet_weeks where point_system_id = ${pointSystemId}`;
          const windows = await tx<{ id: string }[]>`
            select id from board_windows where point_system_id = ${pointSystemId}`;
          await tx`
            delete from season_totals where point_system_id = any(${windows.map(({ id }) => id)}::uuid[])`;
          await tx`update daily_totals set boost_points = 0, spent_points = 0 where point_system_id = ${pointSystemId}`;
          await tx`update statistics_cursors set program_seq = 0, program_spend_seq = 0 where point_system_id = ${pointSystemId}`;
        });
        await openSeasonTotals(pointSystemId);
        await foldAll(pointSystemId, 100);
        expect(await readFigures(pointSystemId)).toEqual(expected);
      },
    ),
    { numRuns: atDepth(10, 150) },
  );
}, 300_000);

test("each wallet counts for the highest tier that it reaches, and blacklisted ones for none", async () => {
  const { set } = await clock;
  await set(START);
  const owner = await createOwner();
  const { pointSystemId } = owner;
  expect((await getProgram(pointSystemId, 12)).tiers).toEqual([]);
  const bronze = { name: "Bronze", pointsMin: 10, color: "#a05a2c" };
  const gold = { name: "Gold", pointsMin: 100, color: "#d4af37" };
  await setTiers(owner, [bronze, gold]);
  for (const earned of [9, 10, 99, 100, 101]) await grant(owner, createAddress(), earned);
  const banned = createAddress();
  await grant(owner, banned, 500);
  await addToBlacklist(owner, [{ address: banned, reason: null }]);
  const expected = [
    { tier: gold, wallets: 2 },
    { tier: bronze, wallets: 2 },
    { tier: null, wallets: 1 },
  ];
  expect((await getProgram(pointSystemId, 12)).tiers).toEqual(expected);
  await foldRanks(pointSystemId);
  expect((await getProgram(pointSystemId, 12)).tiers).toEqual(expected);
  const all = { name: "All", pointsMin: 0, color: "#000000" };
  await setTiers(owner, [all]);
  expect((await getProgram(pointSystemId, 12)).tiers).toEqual([
    { tier: all, wallets: 5 },
    { tier: null, wallets: 0 },
  ]);
});

test("a range has every week, the present one last, with what caps refused", async () => {
  await (await clock).set(START);
  const owner = await createOwner();
  const { pointSystemId } = owner;
  const wallets = [createAddress(), createAddress()] as const;
  const weeksAgo = (weeks: number) => new Date(START.getTime() - weeks * 7 * 24 * HOUR_MS);
  const boost = { basePoints: 10, factor: 2.5 };
  await record(pointSystemId, [
    { address: wallets[0], points: 10, event: "login", date: weeksAgo(2) },
    { address: wallets[0], points: 25, event: "login", date: weeksAgo(0), boost },
    { address: wallets[1], points: 10, event: "login", date: weeksAgo(0) },
    { address: wallets[1], points: 10, event: "login", date: weeksAgo(30) },
  ]);
  while ((await foldPointSystem(pointSystemId, 10)) > 0);
  await foldAll(pointSystemId, 10);
  const { weeks } = await getProgram(pointSystemId, 12);
  expect(weeks.map(({ week }) => week)).toEqual(
    Array.from({ length: 12 }, (_, i) => mondayOf(weeksAgo(11 - i))),
  );
  const none = { spentPoints: 0, cappedCalls: 0, boostPoints: 0 };
  expect(weeks.at(-3)).toMatchObject({
    ...none,
    newWallets: 1,
    returningWallets: 0,
    earnedPoints: 10,
  });
  expect(weeks.at(-2)).toMatchObject({
    ...none,
    newWallets: 0,
    returningWallets: 0,
    earnedPoints: 0,
  });
  expect(weeks.at(-1)).toMatchObject({
    ...{ ...none, boostPoints: 15 },
    ...{ newWallets: 0, returningWallets: 2, earnedPoints: 35 },
  });
});

test("calls that a cap refused are kept by their day, others are not", async () => {
  const { pointSystemId } = await createOwner();
  noteRefusedCall(pointSystemId, "trigger_cap_reached");
  noteRefusedCall(pointSystemId, "trigger_not_found");
  await flushRefusedCalls();
  noteRefusedCall(pointSystemId, "trigger_cap_reached");
  await flushRefusedCalls();
  const days = await other<{ day: string; calls: number }[]>`
    select day::text, capped_calls::int as calls from daily_totals where point_system_id = ${pointSystemId}`;
  expect(days).toEqual([{ day: dayOf(new Date()), calls: 2 }]);
});

test("a season's progress has its days, wallets, points and the share of the first ten", async () => {
  await (await clock).set(START);
  const owner = await createOwner();
  const { pointSystemId } = owner;
  for (let i = 0; i < 12; i += 1) await grant(owner, createAddress(), i < 10 ? 90 : 50);
  const startsAt = new Date(START.getTime() - 36 * HOUR_MS);
  const season = { startsAt, endsAt: new Date(startsAt.getTime() + 10 * 24 * HOUR_MS) };
  const board = { kind: "season", name: "Spring", timeZone: "UTC", isPublic: true } as const;
  await createBoard(owner, { ...board, slug: "spring", season });
  const later = { startsAt: season.endsAt, endsAt: new Date(season.endsAt.getTime() + HOUR_MS) };
  await createBoard(owner, { ...board, slug: "summer", season: later });
  expect((await getProgram(pointSystemId, 12)).seasons).toEqual([
    {
      ...{ slug: "spring", name: "Spring", ...season, days: 10, daysPassed: 1 },
      ...{ wallets: 12, points: 1_000, topShare: 0.9 },
    },
  ]);
});

test("a season's days are those of its time zone, also over a change of the clocks", async () => {
  const owner = await createOwner();
  const board = { kind: "season", timeZone: "Europe/Berlin", isPublic: true } as const;
  const seasons = {
    march: { startsAt: new Date("2026-02-28T23:00:00Z"), endsAt: new Date("2026-03-31T22:00:00Z") },
    october: {
      startsAt: new Date("2026-09-30T22:00:00Z"),
      endsAt: new Date("2026-10-31T23:00:00Z"),
    },
  };
  for (const [slug, season] of Object.entries(seasons)) {
    await createBoard(owner, { ...board, slug, name: slug, season });
  }
  const read = async (time: string) => {
    await (await clock).set(new Date(time));
    const found = (await getProgram(owner.pointSystemId, 12)).seasons;
    return found.map(({ slug, days, daysPassed }) => [slug, days, daysPassed]);
  };
  expect(await read("2026-03-30T22:30:00Z")).toEqual([["march", 31, 30]]);
  expect(await read("2026-10-30T22:59:59Z")).toEqual([
    ["october", 31, 29],
    ["march", 31, 31],
  ]);
});

test("days of a season pass one by one, and no more than it has", () => {
  const [startsAt, endsAt] = [new Date("2026-03-01T00:00:00Z"), new Date("2026-03-03T12:00:00Z")];
  const at = (time: string) => countSeasonDays(startsAt, endsAt, new Date(time)).daysPassed;
  expect(countSeasonDays(startsAt, endsAt, startsAt).days).toBe(3);
  expect(at("2026-02-01T00:00:00Z")).toBe(0);
  expect(at("2026-03-01T23:59:59Z")).toBe(0);
  expect(at("2026-03-02T00:00:00Z")).toBe(1);
  expect(at("2026-03-03T11:59:59Z")).toBe(2);
  expect(at("2026-03-03T12:00:00Z")).toBe(3);
  expect(at("2026-05-01T00:00:00Z")).toBe(3);
});

test("the job counts what every point system has, also spends alone, and then finds nothing to do", async () => {
  const world = await createWorld();
  await act(world, { kind: "grant", wallet: WALLETS[0] as Address, points: 300 });
  while (await programFold.run());
  await act(world, { kind: "spend", wallet: WALLETS[0] as Address, points: 16 });
  while (await programFold.run());
  expect(await readFigures(world.pointSystemId)).toEqual(await recount(world.pointSystemId));
  expect(await programFold.run()).toBe(false);
});

test("of any number of folds at once, each event is counted by one, and a deleted point system's by none", async () => {
  const owner = await createOwner();
  const { pointSystemId } = owner;
  const events = Array.from({ length: 60 }, (_, i) => ({
    ...{ address: WALLETS[i % 3] as Address, points: 1, event: "login" },
    date: new Date(START.getTime() - i * 50 * HOUR_MS),
  }));
  await record(pointSystemId, events);
  let counted = 0;
  while (counted < 60) {
    const folds = Array.from({ length: 6 }, () => foldProgram(pointSystemId, 7));
    for (const each of await Promise.all(folds)) counted += each;
  }
  expect(counted).toBe(60);
  expect(await readFigures(pointSystemId)).toEqual(await recount(pointSystemId));
  await grant(owner, createAddress(), 5);
  await other`update point_systems set deleted_at = now() where id = ${pointSystemId}`;
  expect(await foldProgram(pointSystemId, 10)).toBe(0);
});

test("wallets whose events were archived before they were counted are new in no week", async () => {
  await (await clock).set(START);
  const { pointSystemId } = await createOwner();
  const [old, fresh] = [createAddress(), createAddress()];
  await other`
    insert into opening_balances (point_system_id, address, points, events)
    values (${pointSystemId}, decode(${old.slice(2)}, 'hex'), 5, 1)`;
  await other`
    update point_system_totals set archived_events = 1, events = 1, archived_before = ${new Date(START.getTime() - 2_000 * HOUR_MS)}
    where point_system_id = ${pointSystemId}`;
  await record(
    pointSystemId,
    [old, fresh].map((address) => ({ address, points: 10, event: "login", date: START })),
  );
  await foldAll(pointSystemId, 1);
  const { weeks } = await getProgram(pointSystemId, 12);
  expect(weeks.at(-1)).toMatchObject({ newWallets: 1, returningWallets: 1 });
});
