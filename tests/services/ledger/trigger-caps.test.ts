import fc from "fast-check";
import { expect, test } from "vitest";
import { toArrayLiteral } from "../../../app/db/array-literal";
import { hashApiKeyToken } from "../../../app/domain/access/api-key";
import { createEventId } from "../../../app/domain/ledger/event-id";
import type { TriggerCap } from "../../../app/domain/point-systems/trigger-cap";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { removeOldCapCounts } from "../../../app/services/point-systems/cap-counts";
import { updateTrigger } from "../../../app/services/point-systems/triggers";
import { atDepth } from "../../support/depth";
import { voidById } from "../../support/events";
import { takeClock } from "../../support/moved-clock";
import { findOwner, grant } from "../../support/operators";
import { createAddress, scene } from "../../support/scene";
import { other } from "../../support/test-database";
import { labelWindow } from "../../support/window-label";

const clock = takeClock();
const HOUR_MS = 3_600_000;
const KEYS = ["fixed", "free", "plain"] as const;
type Key = (typeof KEYS)[number];
const WALLETS = [createAddress(), createAddress()] as const;
const addressOf = (wallet: number) => (wallet === 0 ? WALLETS[0] : WALLETS[1]);

const cap: fc.Arbitrary<TriggerCap> = fc
  .record({
    window: fc.constantFrom("daily", "weekly", "monthly", "ever"),
    timeZone: fc.constantFrom("Europe/Berlin", "America/Havana"),
    times: fc.option(fc.integer({ min: 1, max: 13 })),
    points: fc.option(fc.integer({ min: 10, max: 90 })),
  })
  .filter(({ times, points }) => times !== null || points !== null);
const call = fc.record({
  key: fc.constantFrom(...KEYS),
  wallet: fc.constantFrom(0, 1),
  points: fc.integer({ min: 1, max: 40 }),
});
const is = <Kind extends string>(kind: Kind) => fc.constant(kind);
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: is("credit"),
      calls: fc.array(call, { minLength: 1, maxLength: 16 }),
      isAtomic: fc.boolean(),
      // What the wallets' points may grow by, as if they came near the points maximum.
      room: fc.constantFrom(5, 40, 100, 100_000),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: is("wait"), hours: fc.constantFrom(0.02, 1, 5, 23, 26, 200) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: is("cap"),
      key: fc.constantFrom<Key>("fixed", "free"),
      cap: fc.option(cap),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: is("grant"), wallet: fc.constantFrom(0, 1) }) },
  { weight: 1, arbitrary: fc.record({ kind: is("void"), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: is("clean") }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

interface Credit {
  readonly key: Key;
  readonly wallet: number;
  readonly points: number;
  readonly at: number;
}

/** Two days before the clocks of Berlin go forward; those of Havana have. */
const START = new Date("2026-03-27T20:00:00Z");

async function createWorld(start = START) {
  const { set } = await clock;
  const { pointSystemId, token } = await scene({
    triggers: KEYS.map((key) => ({ key, points: 10 })),
  });
  const member = await findOwner(pointSystemId);
  await set(start);
  const caps = new Map<Key, TriggerCap | null>();
  const setCap = async (key: Key, next: TriggerCap | null) => {
    const variable = key === "free" ? { min: 3, max: 30 } : null;
    await updateTrigger(member, key, { name: key, points: 10, variable, cap: next });
    caps.set(key, next);
  };
  for (const key of KEYS) await setCap(key, null);
  return {
    ...{ pointSystemId, member, caps, setCap },
    tokenHash: hashApiKeyToken(token),
    credits: [] as Credit[],
  };
}
type World = Awaited<ReturnType<typeof createWorld>>;

interface Answer {
  readonly verdicts: readonly string[];
  readonly seconds: readonly (number | null)[];
  readonly left: readonly (number | null)[];
  readonly at: number;
}

/** Runs the statement that credits, with the moved clock. */
async function run(
  world: World,
  calls: readonly Call[],
  isAtomic: boolean,
  pointsMax = Number.MAX_SAFE_INTEGER,
): Promise<Answer> {
  const { sql } = await clock;
  const list = (of: (call: Call) => string) => toArrayLiteral(calls.map(of));
  const [row] = await sql<(Answer & { calls: readonly number[] })[]>`
    select calls, verdicts, to_json(room_after_seconds) as seconds, to_json(calls_left) as left,
      clock_ms as at
    from credit_points(${world.pointSystemId}, array[${world.tokenHash}::bytea], ${list(() => "1")}::int[],
      ${list(({ key }) => key)}::text[],
      ${toArrayLiteral(calls.map(({ wallet }) => Buffer.from(addressOf(wallet).slice(2), "hex")))}::bytea[],
      ${list(() => createEventId())}::uuid[], '{}', '{}', '{}', ${list(({ points }) => String(points))}::bigint[],
      '{}', '{}', ${pointsMax}, null, ${isAtomic})`;
  if (!row) throw new Error("The statement gave no answer");
  const places = row.calls.map((n) => n - 1);
  const sort = <T>(values: readonly T[]) => calls.map((_, i) => values[places.indexOf(i)] as T);
  const { verdicts, seconds, left, at } = row;
  return { verdicts: sort(verdicts), seconds: sort(seconds), left: sort(left), at };
}

const labelOf = (at: number, { window, timeZone }: TriggerCap) =>
  window === "ever" ? "" : labelWindow(new Date(at), window, timeZone);

/** Judges one call by the credits before it. */
function judge({ credits, caps }: World, { key, wallet, points }: Call, at: number, room: number) {
  const worth = key === "free" ? points : 10;
  const own = credits.filter((one) => one.key === key && one.wallet === wallet);
  const left = 10 - own.filter((one) => one.at > at - 60_000).length;
  if (key === "free" && (points < 3 || points > 30)) {
    return { verdict: "invalid_points", worth, left };
  }
  if (left <= 0) return { verdict: "rate_limit_exceeded", worth, left: 0 };
  const limit = caps.get(key);
  const counted = limit ? own.filter((one) => labelOf(one.at, limit) === labelOf(at, limit)) : [];
  const sum = counted.reduce((total, one) => total + one.points, worth);
  const isBeyond = limit && (counted.length >= (limit.times ?? 1e9) || sum > (limit.points ?? 1e9));
  if (isBeyond) return { verdict: "trigger_cap_reached", worth, left };
  const verdict = worth > room ? "points_limit_reached" : "credited";
  return { verdict, worth, left: left - 1 };
}

/** Checks an answer against the model, which then has the credits. */
async function credit(
  world: World,
  calls: readonly Call[],
  isAtomic: boolean,
  room = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  const stored = await other<{ address: string; points: number }[]>`
    select '0x' || encode(address, 'hex') as address, points::float8 as points
    from wallets where point_system_id = ${world.pointSystemId}`;
  const points = WALLETS.map((address) => stored.find((one) => one.address === address)?.points);
  const balances = points.map((each) => each ?? 0);
  const pointsMax = Math.min(Number.MAX_SAFE_INTEGER, Math.max(...balances) + room);
  const { verdicts, seconds, left, at } = await run(world, calls, isAtomic, pointsMax);
  const before = world.credits.length;
  for (const [i, one] of calls.entries()) {
    const balance = balances[one.wallet] as number;
    const expected = judge(world, one, at, pointsMax - balance);
    const { verdict, worth } = expected;
    expect({ i, verdict: verdicts[i] }).toEqual({ i, verdict });
    if (["credited", "rate_limit_exceeded"].includes(verdict)) {
      expect({ i, left: left[i] }).toEqual({ i, left: expected.left });
    }
    if (verdict === "trigger_cap_reached") {
      expectEnd(world.caps.get(one.key) as TriggerCap, at, seconds[i] ?? null);
    }
    if (verdict !== "credited") continue;
    world.credits.push({ ...one, points: worth, at });
    balances[one.wallet] = balance + worth;
  }
  if (isAtomic && verdicts.some((verdict) => verdict !== "credited")) world.credits.length = before;
}

/** Checks that a time to wait ends with the window, and no second later. */
function expectEnd(limit: TriggerCap, at: number, seconds: number | null): void {
  if (limit.window === "ever") {
    expect(seconds).toBeNull();
    return;
  }
  const label = labelOf(at, limit);
  expect(labelOf(at + (seconds ?? 0) * 1_000, limit) > label).toBe(true);
  expect(labelOf(at + ((seconds ?? 0) - 1) * 1_000 - 1, limit)).toBe(label);
}

async function act(world: World, next: Step): Promise<void> {
  if (next.kind === "credit") await credit(world, next.calls, next.isAtomic, next.room);
  else if (next.kind === "cap") await world.setCap(next.key, next.cap);
  else if (next.kind === "grant") await grant(world.member, addressOf(next.wallet), 10);
  else if (next.kind === "clean") await removeOldCapCounts();
  else if (next.kind === "wait") {
    const { read, set } = await clock;
    await set(new Date((await read()).getTime() + next.hours * HOUR_MS));
  } else {
    const events = await other<{ id: string }[]>`
      select e.id from point_events e where e.point_system_id = ${world.pointSystemId} and e.voids is null
        and not exists (select from point_events v where v.point_system_id = e.point_system_id and v.voids = e.id)
      order by e.seq`;
    const event = events[next.pick % Math.max(1, events.length)];
    if (event) await voidById(world.member, event.id);
  }
}

test("in any history each call has the verdict of its place, and the counts are what the events add up to", async () => {
  await fc.assert(
    fc.asyncProperty(
      cap,
      cap,
      fc.array(step, { minLength: 4, maxLength: 24 }),
      async (fixed, free, steps) => {
        const world = await createWorld();
        await world.setCap("fixed", fixed);
        await world.setCap("free", free);
        for (const next of steps) await act(world, next);
        const { differences } = await verifyLedger();
        expect(differences).toEqual([]);
      },
    ),
    { numRuns: atDepth(6, 80) },
  );
}, 300_000);

test("a cap a day begins again at the midnight of its time zone, on days with a change of the clocks too", async () => {
  // Of 23 hours in Berlin. In Havana, one midnight never comes, and one comes twice: the second one is the bound.
  const days = [
    ["Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"],
    ["America/Havana", "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"],
    ["America/Havana", "2026-10-31T04:00:00Z", "2026-11-01T05:00:00Z"],
  ] as const;
  const { set } = await clock;
  for (const [timeZone, startsAt, endsAt] of days) {
    const world = await createWorld(new Date(Date.parse(startsAt) - 60_000));
    await world.setCap("fixed", { window: "daily", timeZone, times: 1, points: null });
    const fire = async () => {
      const { verdicts } = await run(world, [{ key: "fixed", wallet: 0, points: 10 }], false);
      return verdicts[0];
    };
    expect([await fire(), await fire()]).toEqual(["credited", "trigger_cap_reached"]);
    await set(new Date(startsAt));
    expect([await fire(), await fire()]).toEqual(["credited", "trigger_cap_reached"]);
    await set(new Date(Date.parse(endsAt) - 60_000));
    expect(await fire()).toBe("trigger_cap_reached");
    await set(new Date(endsAt));
    expect([await fire(), await fire()]).toEqual(["credited", "trigger_cap_reached"]);
  }
});

test("the ledger's check names a count that is not what the events add up to", async () => {
  const world = await createWorld();
  await world.setCap("fixed", { window: "daily", timeZone: "UTC", times: 3, points: null });
  await credit(world, [{ key: "fixed", wallet: 0, points: 10 }], false);
  await other`update trigger_cap_counts set times = 2 where point_system_id = ${world.pointSystemId}`;
  const { differences } = await verifyLedger();
  expect(differences).toEqual([
    {
      pointSystemId: world.pointSystemId,
      address: WALLETS[0],
      field: "times in the cap of fixed",
      stored: "2",
      recomputed: "1",
    },
  ]);
  await other`update trigger_cap_counts set times = 1 where point_system_id = ${world.pointSystemId}`;
});
