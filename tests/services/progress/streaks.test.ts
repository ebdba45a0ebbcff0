import fc from "fast-check";
import { expect, test } from "vitest";
import type { Address } from "../../../app/domain/address";
import type { StreakBonus } from "../../../app/domain/progress/streak";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { payBonuses } from "../../../app/services/progress/streak-bonuses";
import { foldStreaks, streaksFold } from "../../../app/services/progress/streak-fold";
import {
  BONUSES_COUNTED_MAX,
  countBonuses,
  createStreak,
  deleteStreak,
  listStreaks,
  listWalletStreaks,
  type NewStreak,
  removeDeletedStreakDays,
  updateStreak,
} from "../../../app/services/progress/streaks";
import { atDepth } from "../../support/depth";
import { record, voidById } from "../../support/events";
import { findOwner, grant } from "../../support/operators";
import { createAddress, scene } from "../../support/scene";
import { other } from "../../support/test-database";
import { labelWindow } from "../../support/window-label";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const STREAK: NewStreak = {
  ...{ key: "daily", name: "Daily", triggerKeys: ["walk"], timeZone: "Europe/Berlin" },
  bonuses: [
    { days: 2, triggerKey: "bonus" },
    { days: 4, triggerKey: "walk" },
  ],
};

async function createWorld(streak: Partial<NewStreak> = {}) {
  const { pointSystemId, fireBatch } = await scene({
    triggers: ["walk", "read", "bonus"].map((key) => ({ key, points: 10 })),
  });
  const member = await findOwner(pointSystemId);
  await createStreak(member, { ...STREAK, ...streak });
  const [{ id: streakId } = { id: "" }] = await listStreaks(pointSystemId);
  const credit = (address: Address, date: Date, event = "walk") =>
    record(pointSystemId, [{ address, date, event, points: 10 }]);
  const fold = async (eventsMax = 5_000) => {
    while ((await foldStreaks(pointSystemId, eventsMax)) > 0);
  };
  return { pointSystemId, member, streakId, fireBatch, credit, fold };
}

const listDays = (streakId: string) => other<{ wallet: Address; day: string; events: number }[]>`
  select '0x' || encode(address, 'hex') as wallet, day::text as day, events from streak_days
  where streak_id = ${streakId} order by 1, 2`;

const listBonuses = (streakId: string) => other<
  { wallet: Address; days: number; on: string; state: string }[]
>`
  select '0x' || encode(address, 'hex') as wallet, days, reached_on::text as on, state from streak_bonuses
  where streak_id = ${streakId} order by 1, 2, 3`;

const listPaid = (pointSystemId: string) => other<
  { wallet: Address; days: number; points: number }[]
>`
  select '0x' || encode(address, 'hex') as wallet, (regexp_match(note, '(\\d+) days in a row'))[1]::int as days,
    points::int from point_events
  where point_system_id = ${pointSystemId} and note like 'Streak bonus: %' order by seq`;

// A model of one wallet, from the events one by one.

interface Model {
  readonly counts: Map<string, number>;
  readonly bonuses: { days: number; on: string }[];
}

const shift = (day: string, days: number) =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

/** Counts the days in a row from the one beside a day on. */
function countBeside({ counts }: Model, day: string, step: 1 | -1): number {
  let days = 0;
  while (counts.has(shift(day, step * (days + 1)))) days += 1;
  return days;
}

function addToModel(model: Model, day: string, bonuses: readonly StreakBonus[]): void {
  const count = model.counts.get(day) ?? 0;
  model.counts.set(day, count + 1);
  if (count > 0) return;
  const before = countBeside(model, day, -1);
  const after = countBeside(model, day, 1);
  const [first, last] = [shift(day, -before), shift(day, after)];
  for (const { days } of bonuses) {
    const isReached = before < days && after < days && before + 1 + after >= days;
    const isHad = model.bonuses.some(
      (had) => had.days === days && had.on >= first && had.on <= last,
    );
    if (isReached && !isHad) model.bonuses.push({ days, on: day });
  }
}

function takeFromModel({ counts }: Model, day: string): void {
  const left = (counts.get(day) ?? 0) - 1;
  if (left === 0) counts.delete(day);
  else counts.set(day, left);
}

/** The longest days in a row, and those that end today or yesterday. */
function summarize({ counts }: Model, today: string) {
  const days = [...counts.keys()].sort();
  let longest = 0;
  let run = 0;
  for (const [i, day] of days.entries()) {
    run = i > 0 && days[i - 1] === shift(day, -1) ? run + 1 : 1;
    longest = Math.max(longest, run);
  }
  const last = days.at(-1) ?? null;
  return { longest, current: last !== null && last >= shift(today, -1) ? run : 0, lastDay: last };
}

const step = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant("credit" as const),
      wallet: fc.constantFrom(0, 1),
      // Any order, so many are late.
      hours: fc.integer({ min: 0, max: 9 * 24 }),
      event: fc.constantFrom("walk", "walk", "walk", "read"),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("void" as const), pick: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("fold" as const),
      eventsMax: fc.integer({ min: 1, max: 7 }),
      workers: fc.constantFrom(1, 2),
    }),
  },
);

/** Zones with a start some days before their clocks change: Havana's skip and repeat a midnight. */
const start = fc.constantFrom(
  ["Europe/Berlin", "2026-03-24T12:00:00Z"],
  ["Europe/Berlin", "2026-10-21T12:00:00Z"],
  ["America/Havana", "2026-03-05T12:00:00Z"],
  ["America/Havana", "2026-10-28T12:00:00Z"],
  ["UTC", "2026-06-01T00:00:00Z"],
);

test("in any history the days and bonuses are those of the events one by one, however they are counted", async () => {
  await fc.assert(
    fc.asyncProperty(
      start,
      fc.boolean(),
      fc.array(step, { minLength: 5, maxLength: 45 }),
      async ([timeZone = "", from = ""], isForAll, steps) => {
        const triggerKeys = isForAll ? null : ["walk"];
        const world = await createWorld({ timeZone, triggerKeys });
        const wallets = [createAddress(), createAddress()];
        const models = wallets.map((): Model => ({ counts: new Map(), bonuses: [] }));
        const standing: { id: string; wallet: number; day: string; counts: boolean }[] = [];
        for (const next of steps) {
          if (next.kind === "credit") {
            const date = new Date(Date.parse(from) + next.hours * HOUR_MS);
            const day = labelWindow(date, "daily", timeZone);
            const address = wallets[next.wallet] as Address;
            const [id = ""] = await world.credit(address, date, next.event);
            const counts = isForAll || next.event === "walk";
            standing.push({ id, wallet: next.wallet, day, counts });
            if (counts) addToModel(models[next.wallet] as Model, day, STREAK.bonuses);
          } else if (next.kind === "void") {
            const [voided] = standing.splice(next.pick % Math.max(1, standing.length), 1);
            if (!voided) continue;
            await voidById(world.member, voided.id);
            if (voided.counts) takeFromModel(models[voided.wallet] as Model, voided.day);
          } else {
            const workers = Array.from({ length: next.workers }, () =>
              foldStreaks(world.pointSystemId, next.eventsMax),
            );
            await Promise.all(workers);
          }
        }
        await world.fold(3);

        const days = await listDays(world.streakId);
        const bonuses = await listBonuses(world.streakId);
        const paid = await listPaid(world.pointSystemId);
        for (const [i, model] of models.entries()) {
          const isOwn = ({ wallet }: { wallet: string }) => wallet === wallets[i];
          expect(days.filter(isOwn).map(({ day, events }) => [day, events])).toEqual(
            [...model.counts].sort(),
          );
          const reached = model.bonuses.toSorted(
            (a, b) => a.days - b.days || (a.on < b.on ? -1 : 1),
          );
          expect(bonuses.filter(isOwn).map(({ days, on, state }) => ({ days, on, state }))).toEqual(
            reached.map((bonus) => ({ ...bonus, state: "paid" })),
          );
          expect(
            paid
              .filter(isOwn)
              .map((one) => one.days)
              .sort(),
          ).toEqual(reached.map((bonus) => bonus.days));
          // No event lies after the time of reading.
          const at = new Date(Date.parse(from) + 9 * DAY_MS);
          const [seen] = await other`
            select longest_days as longest, current_days as current, last_day as "lastDay"
            from list_wallet_streaks(${world.pointSystemId}, ${Buffer.from((wallets[i] ?? "").slice(2), "hex")}, ${at})`;
          expect(seen).toEqual(summarize(model, labelWindow(at, "daily", timeZone)));
        }
        expect((await verifyLedger()).differences).toEqual([]);
      },
    ),
    { numRuns: atDepth(6, 60) },
  );
}, 300_000);

const NOON = Date.parse("2026-06-01T12:00:00Z");
const day = (n: number) => new Date(NOON + (n - 1) * DAY_MS);

test("a bonus is paid once, also when its days are voided and credited again, and its credit counts for no streak", async () => {
  const world = await createWorld({ triggerKeys: null, timeZone: "UTC" });
  const wallet = createAddress();
  const ids: string[] = [];
  for (const n of [1, 2, 3, 4]) ids.push(...(await world.credit(wallet, day(n))));
  await world.fold();
  expect(await listPaid(world.pointSystemId)).toEqual([
    { wallet, days: 2, points: 10 },
    { wallet, days: 4, points: 10 },
  ]);
  // The bonuses were credited today, which is no day of the streak.
  expect((await listDays(world.streakId)).map(({ day }) => day)).toEqual([
    ...["2026-06-01", "2026-06-02", "2026-06-03", "2026-06-04"],
  ]);
  await voidById(world.member, ids[3] as string);
  await voidById(world.member, ids[2] as string);
  await world.credit(wallet, day(3));
  await world.credit(wallet, day(4));
  await world.credit(wallet, day(5));
  await world.fold();
  expect(await listPaid(world.pointSystemId)).toHaveLength(2);
  // Another run reaches its own.
  await world.credit(wallet, day(10));
  await world.credit(wallet, day(11));
  await world.fold();
  expect((await listPaid(world.pointSystemId)).map(({ days }) => days)).toEqual([2, 4, 2]);
});

test("workers at once, and one that ended after the count, pay each bonus once", async () => {
  const world = await createWorld({ timeZone: "UTC" });
  const wallets = Array.from({ length: 30 }, createAddress);
  for (const n of [1, 2]) {
    await record(
      world.pointSystemId,
      wallets.map((address) => ({ address, date: day(n), event: "walk", points: 10 })),
    );
  }
  // As after a kill between the count and the payment.
  await other`select fold_streak(${world.pointSystemId}, ${world.streakId}, 5000)`;
  expect((await listBonuses(world.streakId)).map(({ state }) => state)).toEqual(
    wallets.map(() => "due"),
  );
  await Promise.all(Array.from({ length: 4 }, () => payBonuses(world.pointSystemId)));
  expect(await listPaid(world.pointSystemId)).toHaveLength(wallets.length);
  while (await streaksFold.run());
  expect(await listPaid(world.pointSystemId)).toHaveLength(wallets.length);
  expect((await verifyLedger()).differences).toEqual([]);
});

test("a payment that is undone is paid later: credit and mark are one transaction", async () => {
  const world = await createWorld({ timeZone: "UTC" });
  const wallet = createAddress();
  for (const n of [1, 2]) await world.credit(wallet, day(n));
  // PostgreSQL refuses the mark, as the end of a process would.
  await other`
    create function refuse_mark() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`;
  await other`
    create trigger refuse_mark before update on streak_bonuses for each row execute function refuse_mark()`;
  await expect(foldStreaks(world.pointSystemId, 100)).rejects.toThrow();
  expect(await listPaid(world.pointSystemId)).toEqual([]);
  await other`drop trigger refuse_mark on streak_bonuses`;
  await other`drop function refuse_mark()`;
  await world.fold();
  expect(await listPaid(world.pointSystemId)).toEqual([{ wallet, days: 2, points: 10 }]);
});

test("a fold waits for a locked ledger no longer than its time, and its bonus is paid once", async () => {
  const world = await createWorld({ timeZone: "UTC" });
  const wallet = createAddress();
  for (const n of [1, 2]) await world.credit(wallet, day(n));
  await other.begin(async (tx) => {
    await tx`select lock_ledger(${world.pointSystemId}::uuid)`;
    const startedAtMs = performance.now();
    await expect(foldStreaks(world.pointSystemId, 100, 300)).rejects.toMatchObject({
      cause: { code: "NOT_SENT" },
    });
    expect(performance.now() - startedAtMs).toBeLessThan(2_000);
  });
  await world.fold();
  expect(await listPaid(world.pointSystemId)).toEqual([{ wallet, days: 2, points: 10 }]);
});

test("what the ledger had before the streak counts as days and pays nothing; the next length is paid", async () => {
  const world = await createWorld({ key: "other", triggerKeys: ["read"] });
  const wallet = createAddress();
  for (const n of [1, 2, 3]) await world.credit(wallet, day(n));
  await createStreak(world.member, { ...STREAK, timeZone: "UTC" });
  await world.fold(2);
  const streaks = await listWalletStreaks(world.pointSystemId, wallet);
  expect(streaks).toMatchObject([
    { key: "other", longest: 0, current: 0, lastDay: null },
    { key: "daily", longest: 3, current: 0, lastDay: "2026-06-03" },
  ]);
  expect(await listPaid(world.pointSystemId)).toEqual([]);
  await world.credit(wallet, day(4));
  await world.fold();
  expect(await listPaid(world.pointSystemId)).toEqual([{ wallet, days: 4, points: 10 }]);
});

test("a bonus that cannot be paid is marked with the reason, and holds up no other", async () => {
  const world = await createWorld({ timeZone: "UTC" });
  const [banned, full, fine] = [createAddress(), createAddress(), createAddress()];
  for (const n of [1, 2]) {
    for (const wallet of [banned, full, fine]) await world.credit(wallet, day(n));
  }
  await other`insert into blacklist (point_system_id, address)
    values (${world.pointSystemId}, ${Buffer.from(banned.slice(2), "hex")})`;
  await other`update wallets set points = 9007199254740990
    where point_system_id = ${world.pointSystemId} and address = ${Buffer.from(full.slice(2), "hex")}`;
  await world.fold();
  const states = new Map(
    (await listBonuses(world.streakId)).map(({ wallet, state }) => [wallet, state]),
  );
  expect([banned, full, fine].map((wallet) => states.get(wallet))).toEqual([
    ...["blacklisted", "limit_reached", "paid"],
  ]);
  await other`update wallets set points = 20, is_blacklisted = false
    where point_system_id = ${world.pointSystemId} and address = ${Buffer.from(full.slice(2), "hex")}`;
  await other`delete from blacklist where point_system_id = ${world.pointSystemId}`;

  await other`update triggers set is_active = false where point_system_id = ${world.pointSystemId}`;
  const last = createAddress();
  for (const n of [1, 2]) await world.credit(last, day(n));
  await world.fold();
  expect(await listBonuses(world.streakId)).toContainEqual({
    ...{ wallet: last, days: 2, on: "2026-06-02", state: "trigger_gone" },
  });
});

test("grants and imports are no days; the caller's time goes before the ledger's", async () => {
  const world = await createWorld({ triggerKeys: null, timeZone: "UTC" });
  const wallet = createAddress();
  await grant(world.member, wallet, 5);
  const date = new Date();
  await record(world.pointSystemId, [
    { address: wallet, date, event: "walk", points: 10, importId: crypto.randomUUID() },
  ]);
  const yesterday = new Date(date.getTime() - DAY_MS);
  const credit = (occurredAt: Date) =>
    world.fireBatch({
      items: [{ triggerKey: "walk", walletAddress: wallet, occurredAt: occurredAt.toISOString() }],
    });
  expect((await credit(yesterday)).body.credited).toBe(1);
  await world.fold();
  const toDay = (moment: Date) => moment.toISOString().slice(0, 10);
  expect(await listDays(world.streakId)).toEqual([{ wallet, day: toDay(yesterday), events: 1 }]);
  expect(await listWalletStreaks(world.pointSystemId, wallet)).toMatchObject([
    { current: 1, longest: 1 },
  ]);
  // A late one joins in front.
  await credit(new Date(date.getTime() - 2 * DAY_MS));
  await world.fold();
  expect(await listWalletStreaks(world.pointSystemId, wallet)).toMatchObject([
    { current: 2, longest: 2 },
  ]);
  expect(await listPaid(world.pointSystemId)).toEqual([{ wallet, days: 2, points: 10 }]);
});

test("days that a file dates ahead count for a streak once they have come", async () => {
  const world = await createWorld({ timeZone: "UTC" });
  const wallet = createAddress();
  const now = Date.now();
  for (const days of [0, 1, 10]) await world.credit(wallet, new Date(now + days * DAY_MS));
  await world.fold();
  const lastDay = new Date(now).toISOString().slice(0, 10);
  expect(await listWalletStreaks(world.pointSystemId, wallet)).toMatchObject([
    { current: 1, longest: 1, lastDay },
  ]);
  const late = createAddress();
  await world.credit(late, new Date(now + 10 * DAY_MS));
  await world.fold();
  expect(await listWalletStreaks(world.pointSystemId, late)).toMatchObject([
    { current: 0, longest: 0, lastDay: null },
  ]);
});

test("a streak's fields are checked, changed and removed with its days", async () => {
  const world = await createWorld();
  const { member, pointSystemId } = world;
  await expect(createStreak(member, STREAK)).rejects.toMatchObject({ code: "streak_taken" });
  for (const wrong of [
    { triggerKeys: ["no_such"] },
    { timeZone: "Mars/Base" },
    { bonuses: [{ days: 3, triggerKey: "no_such" }] },
  ]) {
    await expect(createStreak(member, { ...STREAK, key: "wrong", ...wrong })).rejects.toMatchObject(
      {
        code: "invalid_field",
      },
    );
  }
  for (let n = 2; n <= 5; n += 1) await createStreak(member, { ...STREAK, key: `s${n}` });
  await expect(createStreak(member, { ...STREAK, key: "s6" })).rejects.toMatchObject({
    code: "too_many_streaks",
  });
  await updateStreak(member, "daily", { name: "New", bonuses: [] });
  await world.credit(createAddress(), day(1));
  await world.fold();
  expect(await listDays(world.streakId)).toHaveLength(1);
  await deleteStreak(member, "daily");
  await removeDeletedStreakDays();
  expect(await listDays(world.streakId)).toEqual([]);
  expect(await listStreaks(pointSystemId)).toHaveLength(4);
  await expect(deleteStreak(member, "daily")).rejects.toMatchObject({ code: "not_found" });
  await expect(updateStreak(member, "daily", STREAK)).rejects.toMatchObject({ code: "not_found" });
});

test("the ledger's check names a day that is not what the events add up to", async () => {
  const world = await createWorld({ timeZone: "UTC" });
  const wallet = createAddress();
  await world.credit(wallet, day(1));
  await world.fold();
  await other`update streak_days set events = 3 where streak_id = ${world.streakId}`;
  expect((await verifyLedger()).differences).toEqual([
    {
      pointSystemId: world.pointSystemId,
      address: wallet,
      field: "events on 2026-06-01 of the streak daily",
      stored: "3",
      recomputed: "1",
    },
  ]);
  await other`update streak_days set events = 1 where streak_id = ${world.streakId}`;
});

test("the bonuses of a streak are counted by their state, up to a number that a page can count", async () => {
  const { pointSystemId, streakId } = await createWorld();
  await other`
    insert into streak_bonuses (point_system_id, streak_id, address, days, reached_on, seq, trigger_key, state, event_id)
    select ${pointSystemId}::uuid, ${streakId}::uuid, decode(lpad(to_hex(i), 40, '0'), 'hex'), 2, date '2026-03-01', i, 'bonus',
      case when i <= 5 then 'due' when i <= 8 then 'blacklisted' else 'paid' end,
      case when i > 8 then gen_random_uuid() end
    from generate_series(1, ${BONUSES_COUNTED_MAX + 1}::int) i`;
  expect(await countBonuses(pointSystemId, streakId)).toBe(null);
  await other`delete from streak_bonuses where point_system_id = ${pointSystemId} and seq > 20`;
  expect(await countBonuses(pointSystemId, streakId)).toEqual({ paid: 12, due: 5, withheld: 3 });
  await other`delete from streak_bonuses where point_system_id = ${pointSystemId}`;
});
