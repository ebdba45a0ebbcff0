import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { generateApiKeyToken } from "../../app/domain/access/api-key";
import type { TriggerCap } from "../../app/domain/point-systems/trigger-cap";
import { loadFixture } from "../../app/services/fixture/load-fixture";
import { verifyLedger } from "../../app/services/ledger/verify";
import { removeOldCapCounts } from "../../app/services/point-systems/cap-counts";
import { getTrigger, updateTrigger } from "../../app/services/point-systems/triggers";
import { voidById } from "../support/events";
import { findOwner, grant } from "../support/operators";
import { createAddress, scene } from "../support/scene";
import { other } from "../support/test-database";

const DAILY: TriggerCap = { window: "daily", timeZone: "Europe/Berlin", times: 1, points: null };
const EVER: TriggerCap = { window: "ever", timeZone: "UTC", times: 1, points: null };

/** Creates a point system whose trigger credits 10 points under a cap. */
async function cappedScene(
  cap: TriggerCap | null,
  points = { points: 10, variable: null as null | { min: number; max: number } },
) {
  const world = await scene();
  const owner = await findOwner(world.pointSystemId);
  const setCap = (next: TriggerCap | null) =>
    updateTrigger(owner, "daily_login", { name: "Daily login", ...points, cap: next });
  await setCap(cap);
  const readCounts = () => other`
    select times::int, points::int from trigger_cap_counts where point_system_id = ${world.pointSystemId}`;
  return { ...world, owner, setCap, readCounts };
}

const expectSound = async (pointSystemId: string) =>
  expect(
    (await verifyLedger()).differences.filter((one) => one.pointSystemId === pointSystemId),
  ).toEqual([]);

const secondsToMidnight = async () => {
  const [row] = await other<{ seconds: number }[]>`
    select extract(epoch from (date_trunc('day', now() at time zone 'Europe/Berlin') + interval '1 day')
      at time zone 'Europe/Berlin' - now())::float8 as seconds`;
  return row?.seconds ?? Number.NaN;
};

test("a call beyond a daily cap answers 429 with the seconds until midnight", async () => {
  const { fire, pointSystemId, pointsOf, wallet } = await cappedScene(DAILY);
  expect((await fire()).status).toBe(200);
  const before = await secondsToMidnight();
  const refused = await fire();
  expect(refused.status).toBe(429);
  expect(refused.body).toMatchObject({
    error: "Trigger cap reached",
    message: "Trigger cap reached",
    code: "trigger_cap_reached",
  });
  expect(refused.headers.get("ratelimit")).toBeNull();
  expect(refused.headers.get("link")).toContain("/docs/errors/trigger_cap_reached");
  const seconds = Number(refused.headers.get("retry-after"));
  const after = await secondsToMidnight();
  expect(Number.isInteger(seconds)).toBe(true);
  // A test that runs over midnight sees the next window.
  if (after <= before) {
    expect(seconds).toBeGreaterThanOrEqual(Math.floor(after));
    expect(seconds).toBeLessThanOrEqual(Math.ceil(before));
    expect(await pointsOf(wallet)).toBe(10);
  }
  await expectSound(pointSystemId);
});

test("a cap without an end has no Retry-After, and another wallet has a cap of its own", async () => {
  const { fire } = await cappedScene(EVER);
  expect((await fire()).status).toBe(200);
  const refused = await fire();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, null]);
  expect((await fire({ walletAddress: createAddress() })).status).toBe(200);
});

test("a cap counts the credits of all API keys", async () => {
  const { fire, addKey, pointSystemId } = await cappedScene(EVER);
  const second = await addKey("trigger", [pointSystemId]);
  expect((await fire()).status).toBe(200);
  expect((await fire({}, { Authorization: `Bearer ${second}` })).status).toBe(429);
});

test("a repetition of a credited call answers as the first one, and one of a refused call is judged again", async () => {
  const { fire, setCap, wallet, pointsOf } = await cappedScene(EVER);
  const [first, second] = [
    { "Idempotency-Key": randomUUID() },
    { "Idempotency-Key": randomUUID() },
  ];
  expect((await fire({}, first)).status).toBe(200);
  expect((await fire({}, second)).status).toBe(429);
  const repeated = await fire({}, first);
  expect(repeated.body).toMatchObject({ success: true, pointsAdded: 10 });
  expect(repeated.headers.get("idempotent-replayed")).toBe("true");
  expect((await fire({}, second)).status).toBe(429);
  await setCap({ ...EVER, times: 2 });
  expect((await fire({}, second)).status).toBe(200);
  expect((await fire({}, second)).headers.get("idempotent-replayed")).toBe("true");
  expect(await pointsOf(wallet)).toBe(20);
});

test("items of a batch count against each other's cap, and each has its verdict", async () => {
  const { fireBatch, wallet, pointSystemId } = await cappedScene({ ...DAILY, times: 2 });
  const item = { triggerKey: "daily_login", walletAddress: wallet };
  const others = createAddress();
  const { body } = await fireBatch({
    items: [item, item, item, { ...item, walletAddress: others }, ...Array(20).fill(item)],
  });
  const results = body.results as { code?: string; retryAfter?: number }[];
  expect(results.map(({ code }) => code ?? "credited")).toEqual([
    "credited",
    "credited",
    "trigger_cap_reached",
    "credited",
    ...Array(20).fill("trigger_cap_reached"),
  ]);
  expect(results[2]?.retryAfter).toBeGreaterThan(0);
  await expectSound(pointSystemId);
});

test("the trigger limit comes before the cap, as it does call by call", async () => {
  const { fireBatch, wallet } = await cappedScene({ ...EVER, times: 15 });
  const item = { triggerKey: "daily_login", walletAddress: wallet };
  const { body } = await fireBatch({ items: Array(20).fill(item) });
  expect((body.results as { code?: string }[]).map(({ code }) => code ?? "credited")).toEqual([
    ...Array(10).fill("credited"),
    ...Array(10).fill("rate_limit_exceeded"),
  ]);
});

test("an atomic batch beyond a cap credits nothing and leaves the cap's room", async () => {
  const { fireBatch, fire, wallet, pointsOf, readCounts } = await cappedScene(EVER);
  const item = { triggerKey: "daily_login", walletAddress: wallet };
  const refused = await fireBatch({ atomic: true, items: [item, item] });
  expect([refused.status, refused.body.code, refused.body.item]).toEqual([
    409,
    "trigger_cap_reached",
    1,
  ]);
  expect(await readCounts()).toEqual([]);
  expect((await fire()).status).toBe(200);
  expect(await pointsOf(wallet)).toBe(10);
});

test("a cap in points refuses what does not fit, and takes a smaller call afterwards", async () => {
  const { fire, fireBatch, wallet, pointSystemId } = await cappedScene(
    { ...EVER, times: null, points: 100 },
    { points: 10, variable: { min: 5, max: 500 } },
  );
  const item = (points: number) => ({ triggerKey: "daily_login", walletAddress: wallet, points });
  const { body } = await fireBatch({ items: [60, 50, 30, 20, 10, 1_000, 5].map(item) });
  expect((body.results as { code?: string }[]).map(({ code }) => code ?? "credited")).toEqual([
    "credited",
    "trigger_cap_reached",
    "credited",
    "trigger_cap_reached",
    "credited",
    "invalid_points",
    "trigger_cap_reached",
  ]);
  expect((await fire({ points: 5 })).status).toBe(429);
  await expectSound(pointSystemId);
});

test("a voided credit keeps its place, and grants and imports take none", async () => {
  const { fire, owner, pointSystemId, wallet, readCounts } = await cappedScene({
    ...EVER,
    times: 2,
  });
  await grant(owner, wallet, 10);
  expect((await fire()).status).toBe(200);
  const [event] = await other<{ id: string }[]>`
    select id from point_events where point_system_id = ${pointSystemId} and event = 'daily_login'`;
  await voidById(owner, event?.id ?? "");
  expect(await readCounts()).toEqual([{ times: 1, points: 10 }]);
  expect((await fire()).status).toBe(200);
  expect((await fire()).status).toBe(429);
  await expectSound(pointSystemId);
});

test("a cap that is set later, or changed to another window, counts what was credited before", async () => {
  const { fire, setCap, pointSystemId, owner } = await cappedScene(null);
  expect((await fire()).status).toBe(200);
  await setCap(EVER);
  expect((await fire()).status).toBe(429);
  await setCap(null);
  expect((await fire()).status).toBe(200);
  await setCap({ ...EVER, times: 3 });
  expect((await fire()).status).toBe(200);
  expect((await fire()).status).toBe(429);
  await setCap({ ...EVER, window: "monthly", times: 3, points: null });
  expect((await getTrigger(owner, "daily_login")).cap).toMatchObject({ window: "monthly" });
  await expectSound(pointSystemId);
});

test("the worker removes the counts of ended windows and of caps that are gone, and no others", async () => {
  const { fire, setCap, readCounts, pointSystemId } = await cappedScene({ ...EVER, times: 2 });
  await fire();
  await removeOldCapCounts();
  expect(await readCounts()).toHaveLength(1);
  await setCap({ ...DAILY, times: 3 });
  await fire();
  expect(await readCounts()).toHaveLength(2);
  await removeOldCapCounts();
  expect(await readCounts()).toEqual([{ times: 2, points: 20 }]);
  await other`
    update trigger_cap_counts set
      starts_at = (starts_at at time zone 'UTC' - interval '3 days') at time zone 'UTC',
      ends_at = (ends_at at time zone 'UTC' - interval '3 days') at time zone 'UTC'
    where point_system_id = ${pointSystemId}`;
  await removeOldCapCounts();
  expect(await readCounts()).toEqual([]);
  expect((await fire()).status).toBe(200);
  expect((await fire()).status).toBe(429);
});

test("webhooks hear the first refusal of a wallet in a window, and no other", async () => {
  const { fire, fireBatch, pointSystemId, wallet } = await cappedScene(DAILY);
  await other`
    insert into webhook_endpoints (point_system_id, id, url, event_types, secret_ciphertext, secret_nonce, secret_key_id, ledger_seq)
    values (${pointSystemId}, ${randomUUID()}, 'https://example.com/', '{trigger.cap_reached}', '', '', '', 0)`;
  const item = { triggerKey: "daily_login", walletAddress: wallet };
  const second = { ...item, walletAddress: createAddress() };
  await fireBatch({ atomic: true, items: [item, item] });
  await fireBatch({ items: [item, item, item, second] });
  await fire();
  const said = await other<{ data: Record<string, unknown> }[]>`
    select data from webhook_deliveries where point_system_id = ${pointSystemId}`;
  expect(said.map(({ data }) => data)).toEqual([
    { ...item, times: 1, points: 10, windowEndsAt: expect.any(String) },
  ]);
  const endsAt = Date.parse(String(said[0]?.data.windowEndsAt));
  expect(endsAt).toBeGreaterThan(Date.now());
  expect(endsAt).toBeLessThanOrEqual(Date.now() + 25 * 3_600_000);
});

test("400 calls at once under a cap of one credit exactly one", async () => {
  const { fire, pointSystemId, wallet } = await cappedScene(EVER);
  const statuses = await Promise.all(
    Array.from({ length: 400 }, async () => (await fire()).status),
  );
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  const [stored] = await other`
    select count(*)::int as events from point_events
    where point_system_id = ${pointSystemId} and address = ${Buffer.from(wallet.slice(2), "hex")}`;
  expect(stored).toEqual({ events: 1 });
});

test("a trigger without a cap keeps no counts", async () => {
  const { fire, readCounts } = await cappedScene(null);
  expect((await fire()).status).toBe(200);
  expect(await readCounts()).toEqual([]);
});

test("a fixture file can give a trigger a cap", async () => {
  const { fire, pointSystemId, owner } = await cappedScene(null);
  const [row] = await other<{ email: string; name: string }[]>`
    select o.email, p.name from point_systems p join operators o on o.id = p.operator_id where p.id = ${pointSystemId}`;
  const trigger = {
    name: "Once",
    key: "once",
    points: 5,
    active: true,
    cap: { window: "monthly", timeZone: "America/Havana", times: 1 },
  };
  const file = (triggers: object[]) => ({
    operators: [],
    pointSystems: [
      { operator: row?.email, id: pointSystemId, name: row?.name, slug: null, triggers },
    ],
    apiKeys: [
      {
        operator: row?.email,
        name: "more",
        key: generateApiKeyToken(),
        permission: "all",
        pointSystems: [pointSystemId],
      },
    ],
  });
  await loadFixture(file([trigger]));
  expect((await getTrigger(owner, "once")).cap).toEqual({
    window: "monthly",
    timeZone: "America/Havana",
    times: 1,
    points: null,
  });
  expect((await fire({ triggerKey: "once" })).status).toBe(200);
  expect((await fire({ triggerKey: "once" })).body.code).toBe("trigger_cap_reached");
  await expect(
    loadFixture(file([{ ...trigger, key: "x", cap: { window: "daily" } }])),
  ).rejects.toThrow();
  // JavaScript accepts these, and PostgreSQL does not, or reads another zone.
  for (const timeZone of ["ECT", "IST", "SystemV/PST8"]) {
    const other = { ...trigger, key: "other", cap: { window: "daily", timeZone, times: 1 } };
    await expect(loadFixture(file([trigger, other]))).rejects.toThrow(
      "pointSystems[0].triggers[1].cap.timeZone: must be a time zone that the database knows",
    );
  }
});
