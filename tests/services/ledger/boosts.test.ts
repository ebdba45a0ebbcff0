import fc from "fast-check";
import { expect, test } from "vitest";
import { toArrayLiteral } from "../../../app/db/array-literal";
import { hashApiKeyToken } from "../../../app/domain/access/api-key";
import { createEventId } from "../../../app/domain/ledger/event-id";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { listBoosts } from "../../../app/services/point-systems/boost-list";
import {
  createBoost,
  deleteBoost,
  endBoost,
  updateBoost,
} from "../../../app/services/point-systems/boosts";
import { testFireTrigger } from "../../../app/services/point-systems/test-fire";
import { updateTrigger } from "../../../app/services/point-systems/triggers";
import { atDepth } from "../../support/depth";
import { voidById } from "../../support/events";
import { takeClock } from "../../support/moved-clock";
import { failureOf, findOwner, grant } from "../../support/operators";
import { createAddress, scene } from "../../support/scene";
import { changeUnguarded, other } from "../../support/test-database";

const clock = takeClock();
const HOUR_MS = 3_600_000;
const START = new Date("2026-03-27T20:00:00Z");
const KEYS = ["fixed", "free", "capped"] as const;
type Key = (typeof KEYS)[number];
const WALLETS = [createAddress(), createAddress(), createAddress()] as const;
const addressOf = (wallet: number) => WALLETS[wallet] ?? WALLETS[0];
const CAP_POINTS = 120;

interface ModelBoost {
  readonly id: string;
  readonly factor: number;
  readonly startsMs: number;
  endsMs: number;
  readonly keys: readonly Key[] | null;
  readonly wallets: readonly number[] | null;
}

const call = fc.record({
  key: fc.constantFrom(...KEYS),
  wallet: fc.constantFrom(0, 1, 2),
  points: fc.integer({ min: 1, max: 40 }),
});
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

const boost = fc.record({
  // Hundredths, among them those that make halves.
  factor: fc
    .oneof(fc.integer({ min: 101, max: 10_000 }), fc.constantFrom(105, 115, 125, 150, 250))
    .map((hundredths) => hundredths / 100),
  hours: fc.constantFrom(0.5, 3, 30),
  keys: fc.option(fc.uniqueArray(fc.constantFrom(...KEYS), { minLength: 1 })),
  wallets: fc.option(fc.uniqueArray(fc.constantFrom(0, 1, 2), { minLength: 1 })),
});
const is = <Kind extends string>(kind: Kind) => fc.constant(kind);
const pick = fc.nat();
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: is("credit"),
      calls: fc.array(call, { minLength: 1, maxLength: 12 }),
      isAtomic: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: is("create"), boost, delay: fc.constantFrom(0, 2) }) },
  { weight: 2, arbitrary: fc.record({ kind: is("change"), boost, pick }) },
  { weight: 1, arbitrary: fc.record({ kind: is("end"), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: is("delete"), pick }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: is("wait"), hours: fc.constantFrom(0.02, 1, 2.5, 26) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: is("grant"), wallet: fc.constantFrom(0, 1, 2) }) },
  { weight: 1, arbitrary: fc.record({ kind: is("fire"), wallet: fc.constantFrom(0, 1, 2) }) },
  { weight: 1, arbitrary: fc.record({ kind: is("void"), pick }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function createWorld(start = START) {
  const { set } = await clock;
  const { pointSystemId, token } = await scene({
    triggers: KEYS.map((key) => ({ key, points: 10 })),
  });
  const member = await findOwner(pointSystemId);
  await set(start);
  await updateTrigger(member, "free", {
    ...{ name: "free", points: 10, cap: null },
    variable: { min: 3, max: 30 },
  });
  await updateTrigger(member, "capped", {
    ...{ name: "capped", points: 10, variable: null },
    cap: { window: "ever", timeZone: "UTC", times: null, points: CAP_POINTS },
  });
  return {
    ...{ pointSystemId, member },
    tokenHash: hashApiKeyToken(token),
    boosts: [] as ModelBoost[],
    /** The points of each credit that stands, by its id. */
    events: new Map<string, { wallet: number; points: number }>(),
    /** The times of credits by calls, for the trigger limit. */
    called: [] as { key: Key; wallet: number; at: number; points: number }[],
  };
}
type World = Awaited<ReturnType<typeof createWorld>>;

/** Runs the statement that credits, with the moved clock. */
async function run(world: World, calls: readonly Call[], isAtomic = false) {
  const { sql } = await clock;
  const ids = calls.map(() => createEventId());
  const list = (of: (call: Call) => string) => toArrayLiteral(calls.map(of));
  const [row] = await sql<
    { calls: number[]; verdicts: string[]; points: (number | null)[]; at: number }[]
  >`
    select calls, verdicts, to_json(points_added) as points, clock_ms as at
    from credit_points(${world.pointSystemId}, array[${world.tokenHash}::bytea], ${list(() => "1")}::int[],
      ${list(({ key }) => key)}::text[],
      ${toArrayLiteral(calls.map(({ wallet }) => Buffer.from(addressOf(wallet).slice(2), "hex")))}::bytea[],
      ${toArrayLiteral(ids)}::uuid[], '{}', '{}', '{}', ${list(({ points }) => String(points))}::bigint[],
      '{}', '{}', 9007199254740991, null, ${isAtomic})`;
  if (!row) throw new Error("The statement gave no answer");
  const places = row.calls.map((n) => n - 1);
  const sort = <T>(values: readonly T[]) => calls.map((_, i) => values[places.indexOf(i)] as T);
  return { ids, verdicts: sort(row.verdicts), points: sort(row.points), at: row.at };
}

/** Computes the greatest factor, in hundredths; null without a boost. */
function findFactor({ boosts }: World, key: Key, wallet: number, at: number): number | null {
  const holding = boosts.filter(
    (one) =>
      one.startsMs <= at &&
      at < one.endsMs &&
      (one.keys?.includes(key) ?? true) &&
      (one.wallets?.includes(wallet) ?? true),
  );
  return holding.length === 0
    ? null
    : Math.max(...holding.map(({ factor }) => Math.round(factor * 100)));
}

const multiply = (base: number, hundredths: number | null) =>
  hundredths === null ? base : Math.floor((base * hundredths + 50) / 100);

async function credit(world: World, calls: readonly Call[], isAtomic: boolean): Promise<void> {
  const { ids, verdicts, points, at } = await run(world, calls, isAtomic);
  const before = world.called.length;
  const credited: [string, { wallet: number; points: number }][] = [];
  for (const [i, { key, wallet, points: named }] of calls.entries()) {
    const own = world.called.filter((one) => one.key === key && one.wallet === wallet);
    const base = key === "free" ? named : 10;
    const worth = multiply(base, findFactor(world, key, wallet, at));
    const sum = own.reduce((total, one) => total + one.points, worth);
    const verdict =
      key === "free" && (named < 3 || named > 30)
        ? "invalid_points"
        : own.filter((one) => one.at > at - 60_000).length >= 10
          ? "rate_limit_exceeded"
          : key === "capped" && sum > CAP_POINTS
            ? "trigger_cap_reached"
            : "credited";
    expect({ i, verdict: verdicts[i] }).toEqual({ i, verdict });
    if (verdict !== "credited") continue;
    expect(points[i]).toBe(worth);
    world.called.push({ key, wallet, at, points: worth });
    credited.push([ids[i] as string, { wallet, points: worth }]);
  }
  if (isAtomic && verdicts.some((verdict) => verdict !== "credited")) world.called.length = before;
  else for (const [id, event] of credited) world.events.set(id, event);
}

const toFields = ({ factor, keys, wallets }: Extract<Step, { kind: "create" }>["boost"]) => ({
  ...{ name: "Boost", factor, triggerKeys: keys },
  wallets: wallets?.map(addressOf) ?? null,
});

async function act(world: World, next: Step): Promise<void> {
  const { member, boosts, pointSystemId } = world;
  const { read, set } = await clock;
  const now = (await read()).getTime();
  const target = "pick" in next ? boosts[next.pick % Math.max(1, boosts.length)] : undefined;
  if (next.kind === "credit") await credit(world, next.calls, next.isAtomic);
  else if (next.kind === "wait") await set(new Date(now + next.hours * HOUR_MS));
  else if (next.kind === "grant") {
    await grant(member, addressOf(next.wallet), 10);
    await noteNewest(world, next.wallet, 10);
  } else if (next.kind === "fire") {
    const address = addressOf(next.wallet);
    const { points } = await testFireTrigger(member, "fixed", address);
    const at = await noteNewest(world, next.wallet, points);
    expect(points).toBe(multiply(10, findFactor(world, "fixed", next.wallet, at)));
  } else if (next.kind === "create") {
    const startsAt = next.delay === 0 ? null : new Date(now + next.delay * HOUR_MS);
    const endsAt = new Date(now + (next.delay + next.boost.hours) * HOUR_MS);
    const fields = { ...toFields(next.boost), timeZone: "UTC", startsAt, endsAt };
    if (boosts.filter(({ endsMs }) => endsMs > now).length >= 20) return;
    const id = await createBoost(member, fields);
    const made = (await listBoosts(pointSystemId)).find((one) => one.id === id);
    boosts.push({
      ...{ id, ...next.boost },
      startsMs: made?.startsAt.getTime() ?? Number.NaN,
      endsMs: endsAt.getTime(),
    });
  } else if (next.kind === "void") {
    const events = [...world.events];
    const [id] = events[next.pick % Math.max(1, events.length)] ?? [];
    if (id) await voidById(member, id);
    world.events.delete(id ?? "");
  } else if (!target) return;
  else if (next.kind === "change") {
    const endsAt = new Date(Math.max(now, target.startsMs) + next.boost.hours * HOUR_MS);
    const work = updateBoost(member, target.id, { ...toFields(next.boost), endsAt });
    if (target.endsMs <= now) expect((await failureOf(work)).code).toBe("boost_ended");
    else {
      await work;
      boosts[boosts.indexOf(target)] = { ...target, ...next.boost, endsMs: endsAt.getTime() };
    }
  } else if (next.kind === "end") {
    const work = endBoost(member, target.id);
    if (target.startsMs > now || target.endsMs <= now) {
      expect((await failureOf(work)).code).toBe("boost_ended");
    } else {
      await work;
      const ended = (await listBoosts(pointSystemId)).find((one) => one.id === target.id);
      target.endsMs = ended?.endsAt.getTime() ?? Number.NaN;
    }
  } else {
    const work = deleteBoost(member, target.id);
    if (target.startsMs <= now) expect((await failureOf(work)).code).toBe("boost_begun");
    else {
      await work;
      boosts.splice(boosts.indexOf(target), 1);
    }
  }
}

/** Notes the newest event in the model. Returns its time. */
async function noteNewest(world: World, wallet: number, points: number): Promise<number> {
  const [event] = await other<{ id: string; points: number; at: number }[]>`
    select id, points::int, (extract(epoch from created_at) * 1000)::float8 as at from point_events
    where point_system_id = ${world.pointSystemId} order by seq desc limit 1`;
  expect(event?.points).toBe(points);
  world.events.set(event?.id ?? "", { wallet, points });
  return event?.at ?? Number.NaN;
}

async function expectSums({ pointSystemId, events }: World): Promise<void> {
  const rows = await other<{ address: string; points: number }[]>`
    select '0x' || encode(address, 'hex') as address, points::int from wallets
    where point_system_id = ${pointSystemId} and points > 0`;
  const sums = new Map<string, number>();
  for (const { wallet, points } of events.values()) {
    sums.set(addressOf(wallet), (sums.get(addressOf(wallet)) ?? 0) + points);
  }
  expect(Object.fromEntries(rows.map(({ address, points }) => [address, points]))).toEqual(
    Object.fromEntries(sums),
  );
}

test("in any history each credit has the greatest factor of its moment, and wallets hold what was added", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24 }), async (steps) => {
      const world = await createWorld();
      for (const next of steps) await act(world, next);
      await expectSums(world);
      expect((await verifyLedger()).differences).toEqual([]);
    }),
    { numRuns: atDepth(8, 80) },
  );
}, 300_000);

test("a boost holds from the millisecond of its start to the one before its end", async () => {
  const world = await createWorld();
  const { pointSystemId, member } = world;
  const startsAt = new Date(START.getTime() + HOUR_MS);
  const endsAt = new Date(START.getTime() + 2 * HOUR_MS);
  const fields = { name: "Hour", factor: 2, triggerKeys: null, wallets: null, timeZone: "UTC" };
  await createBoost(member, { ...fields, startsAt, endsAt });
  // The clock stands still within a millisecond.
  const creditAt = async (time: Date) => {
    await other.unsafe(`create or replace function moved.clock_timestamp() returns timestamptz
      language sql volatile as $$ select '${time.toISOString()}'::timestamptz + interval '0.9 ms' $$`);
    const { points, at } = await run(world, [{ key: "fixed", wallet: 0, points: 1 }]);
    expect(at).toBe(time.getTime());
    return points[0];
  };
  const before = (time: Date) => new Date(time.getTime() - 1);
  try {
    expect(await creditAt(before(startsAt))).toBe(10);
    expect(await creditAt(startsAt)).toBe(20);
    expect(await creditAt(before(endsAt))).toBe(20);
    expect(await creditAt(endsAt)).toBe(10);
  } finally {
    await other.unsafe(`create or replace function moved.clock_timestamp() returns timestamptz
      language sql volatile
      as 'select pg_catalog.clock_timestamp() + (select ahead from moved.clock)'`);
  }
  const rows = await other`
    select points::int, base_points::int as base, boost_factor::float8 as factor from point_events
    where point_system_id = ${pointSystemId} order by seq`;
  const plain = { points: 10, base: null, factor: null };
  const boosted = { points: 20, base: 10, factor: 2 };
  expect([...rows]).toEqual([plain, boosted, boosted, plain]);
});

test("one credit adds at most 1,000,000,000 points, and halves are rounded up", async () => {
  const rows = await other`
    select b.base::float8, b.factor::float8, boost_points(b.base, b.factor)::float8 as points
    from (values
      (1000000000::bigint, 100::numeric), (999999999, 1.01), (10, 1.05), (10, 1.04), (1, 1.5), (1, 1.49), (3, null)
    ) b(base, factor)`;
  expect(rows.map(({ points }) => points)).toEqual([1e9, 1e9, 11, 10, 2, 1, 3]);
});

test("the ledger's check names a boosted event whose points are not what its factor makes", async () => {
  const world = await createWorld();
  await createBoost(world.member, {
    ...{ name: "Double", factor: 2, triggerKeys: null, wallets: null, timeZone: "UTC" },
    ...{ startsAt: null, endsAt: new Date(START.getTime() + HOUR_MS) },
  });
  const { ids } = await run(world, [{ key: "fixed", wallet: 0, points: 1 }]);
  const setFactor = (factor: number) =>
    changeUnguarded(
      (tx) => tx`update point_events set boost_factor = ${factor}
        where point_system_id = ${world.pointSystemId}`,
    );
  await setFactor(3);
  expect((await verifyLedger()).differences).toEqual([
    {
      pointSystemId: world.pointSystemId,
      address: WALLETS[0],
      field: `points of boosted event ${ids[0]}`,
      stored: "20",
      recomputed: "30",
    },
  ]);
  await setFactor(2);
});
