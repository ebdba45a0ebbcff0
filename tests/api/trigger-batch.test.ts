import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { withDatabase } from "../../app/db/client";
import { createAddress, scene } from "../support/scene";

interface Result {
  success: boolean;
  pointsAdded?: number;
  code?: string;
  replayed?: boolean;
}

const item = (walletAddress: string, more: object = {}) => ({
  triggerKey: "daily_login",
  walletAddress,
  ...more,
});

const makeVariable = (pointSystemId: string, key: string, min: number, max: number) =>
  withDatabase((db) =>
    db.execute(sql`
      update triggers set points_min = ${min}, points_max = ${max}
      where point_system_id = ${pointSystemId} and key = ${key}`),
  );

test("each item has its verdict in order, with the code and message of POST /trigger", async () => {
  const banned = createAddress();
  const { fireBatch, wallet, pointsOf } = await scene({ blacklist: [{ address: banned }] });
  const other = createAddress();
  const { status, body } = await fireBatch({
    items: [
      item(wallet),
      item("0x12"),
      item(banned),
      item(other, { triggerKey: "none" }),
      { walletAddress: other },
      item(other.toUpperCase().replace("0X", "0x")),
      item(other, { idempotencyKey: "\n" }),
    ],
  });
  expect(status).toBe(200);
  expect(body.credited).toBe(2);
  expect(body.refused).toBe(5);
  const credited = { success: true, pointsAdded: 10, triggerKey: "daily_login" };
  expect(body.results[0]).toEqual({ ...credited, walletAddress: wallet });
  expect(body.results[5]).toEqual({ ...credited, walletAddress: other });
  expect(body.results.map((result: Result) => result.code ?? null)).toEqual([
    null,
    "invalid_wallet_address",
    "wallet_blacklisted",
    "trigger_not_found",
    "missing_fields",
    null,
    "invalid_idempotency_key",
  ]);
  expect(body.results[1]).toEqual({
    success: false,
    error: "Invalid wallet address",
    message: "Invalid wallet address",
    code: "invalid_wallet_address",
  });
  expect([await pointsOf(wallet), await pointsOf(other), await pointsOf(banned)]).toEqual([
    10, 10, 0,
  ]);
});

test("a thousand items are taken, and one more or none is refused", async () => {
  const { fireBatch, get } = await scene();
  const items = Array.from({ length: 1_000 }, () => item(createAddress()));
  const { body } = await fireBatch({ items });
  expect([body.credited, body.refused]).toEqual([1_000, 0]);
  const { body: board } = await get("/leaderboard");
  expect(board.pagination.total).toBe(1_000);
  for (const refused of [[...items, item(createAddress())], [], "x", null]) {
    const answer = await fireBatch({ items: refused });
    expect([answer.status, answer.body.code]).toEqual([400, "invalid_items"]);
  }
});

test("an atomic that is neither true nor false is refused as such, and a missing id before it", async () => {
  const { fireBatch, wallet, pointsOf } = await scene();
  for (const atomic of ["true", "false", 1, {}]) {
    const { status, body } = await fireBatch({ atomic, items: [item(wallet)] });
    const message = "Invalid atomic. Send true or false";
    expect(status).toBe(400);
    expect(body).toEqual({ error: message, message, code: "invalid_atomic" });
    const { body: both } = await fireBatch({ atomic, pointSystemId: "", items: [item(wallet)] });
    expect(both.code).toBe("missing_fields");
  }
  expect(await pointsOf(wallet)).toBe(0);
});

test("a body of over 1 MiB is refused with 413", async () => {
  const { fireBatch, wallet } = await scene();
  const answer = await fireBatch({ items: [item(wallet)], rest: "x".repeat(1024 * 1024) });
  expect(answer.status).toBe(413);
});

test("the trigger limit holds for items as for calls, also across both", async () => {
  const { fireBatch, fire, wallet, pointsOf } = await scene();
  await fire();
  const { body } = await fireBatch({ items: Array.from({ length: 12 }, () => item(wallet)) });
  expect(body.results.map((result: Result) => result.success)).toEqual([
    ...Array.from({ length: 9 }, () => true),
    ...Array.from({ length: 3 }, () => false),
  ]);
  expect(body.results[11]).toMatchObject({
    code: "rate_limit_exceeded",
    error: "Rate limit exceeded",
  });
  expect(body.results[11].retryAfter).toBeGreaterThan(50);
  expect((await fire()).status).toBe(429);
  expect(await pointsOf(wallet)).toBe(100);
});

test("an atomic call credits every item or none, and answers 409 with the first refusal", async () => {
  const { fireBatch, wallet, pointsOf } = await scene();
  const other = createAddress();
  for (const bad of [item(other, { triggerKey: "none" }), item("0x12")]) {
    const { status, body } = await fireBatch({ atomic: true, items: [item(wallet), bad] });
    expect(status).toBe(409);
    expect(body).toMatchObject({ item: 1 });
    expect(["trigger_not_found", "invalid_wallet_address"]).toContain(body.code);
  }
  expect(await pointsOf(wallet)).toBe(0);
  const whole = await fireBatch({ atomic: true, items: [item(wallet), item(other)] });
  expect([whole.status, whole.body.credited]).toEqual([200, 2]);
});

test("an atomic call with more credits than the trigger limit is told no time after which it could succeed", async () => {
  const { fireBatch, wallet } = await scene();
  const items = Array.from({ length: 11 }, () => item(wallet));
  const { status, body, headers } = await fireBatch({ atomic: true, items });
  expect([status, body.code, body.item]).toEqual([409, "rate_limit_exceeded", 10]);
  expect(headers.get("retry-after")).toBeNull();
});

test("a call that is sent again whole credits only what the first one did not", async () => {
  const { fireBatch, fire, wallet, pointsOf } = await scene();
  const others = Array.from({ length: 3 }, createAddress);
  const items = [wallet, ...others].map((address, i) => item(address, { idempotencyKey: `k${i}` }));
  await fire({}, { "Idempotency-Key": "k0" });
  await fireBatch({ items: items.slice(0, 2) });
  const { body } = await fireBatch({ items });
  expect(body.credited).toBe(4);
  expect(body.results.map((result: Result) => result.replayed ?? false)).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(await Promise.all([wallet, ...others].map(pointsOf))).toEqual([10, 10, 10, 10]);
  const reused = await fireBatch({ items: [item(createAddress(), { idempotencyKey: "k0" })] });
  expect(reused.body.results[0].code).toBe("idempotency_key_reused");
});

test("an idempotency key that stands twice in a call credits once, for the first item that is well-formed", async () => {
  const { fireBatch, wallet, pointsOf } = await scene();
  const { body } = await fireBatch({
    items: [
      item("0x12", { idempotencyKey: "a" }),
      item(wallet, { idempotencyKey: "a" }),
      item(wallet, { idempotencyKey: "a" }),
      item(createAddress(), { idempotencyKey: "a" }),
    ],
  });
  expect(body.results).toMatchObject([
    { success: false, code: "invalid_wallet_address" },
    { success: true },
    { success: true, replayed: true },
    { success: false, code: "idempotency_key_reused" },
  ]);
  expect(await pointsOf(wallet)).toBe(10);
});

test("points are taken by a trigger of variable points, within its bounds, by both endpoints", async () => {
  const { fireBatch, fire, wallet, pointSystemId, pointsOf } = await scene({
    triggers: [{ key: "purchase", points: 50 }],
  });
  await makeVariable(pointSystemId, "purchase", 5, 500);
  const bought = (points?: unknown) => item(wallet, { triggerKey: "purchase", points });
  const { body } = await fireBatch({
    items: [bought(), bought(5), bought(500), bought(4), bought(501), bought(5.5), bought("7")],
  });
  expect(body.results.map((result: Result) => result.pointsAdded ?? result.code)).toEqual([
    50,
    5,
    500,
    ...Array.from({ length: 4 }, () => "invalid_points"),
  ]);
  expect((await fire({ triggerKey: "purchase", points: 7 })).body.pointsAdded).toBe(7);
  expect((await fire({ triggerKey: "purchase" })).body.pointsAdded).toBe(50);
  expect((await fire({ triggerKey: "purchase", points: "7" })).body.error).toBe("Invalid points");
  expect(await pointsOf(wallet)).toBe(612);
});

test("null leaves an optional field out, for both endpoints", async () => {
  const { fireBatch, fire, get, wallet, pointSystemId, pointsOf } = await scene({
    triggers: [{ key: "purchase", points: 50 }],
  });
  await makeVariable(pointSystemId, "purchase", 5, 500);
  const left = { points: null, idempotencyKey: null, occurredAt: null, metadata: null };
  const bought = item(wallet, { triggerKey: "purchase", ...left });
  const { body } = await fireBatch({ atomic: null, items: [bought, item("0x12")] });
  expect([body.credited, body.refused]).toEqual([1, 1]);
  const call = await fire({ triggerKey: "purchase", points: null, include: null });
  expect(call.body).toEqual({ ...body.results[0], success: true });
  expect(await pointsOf(wallet)).toBe(100);
  const { activity } = (await get("/activity", { include: "metadata" })).body;
  expect(activity).toMatchObject([left, left].map(({ metadata }) => ({ metadata })));
});

test("a trigger of fixed points refuses points in a batch, and POST /trigger passes over them", async () => {
  const { fireBatch, fire, wallet } = await scene();
  const { body } = await fireBatch({ items: [item(wallet, { points: 10 })] });
  expect(body.results[0].code).toBe("invalid_points");
  expect((await fire({ points: 1_000_000 })).body.pointsAdded).toBe(10);
});

test("metadata and the time of happening are kept with the event, and bad ones are refused", async () => {
  const { fireBatch, wallet, pointSystemId } = await scene();
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const occurredAt = daysAgo(29);
  const metadata = { order: "A-1", amount: 12.5, gift: true, note: 'a "b" {c}', none: null };
  const { body } = await fireBatch({
    items: [
      item(wallet, { metadata, occurredAt }),
      ...[{ a: {} }, [], "x", { a: "x".repeat(2_100) }, { a: "\0" }].map((bad) =>
        item(wallet, { metadata: bad }),
      ),
      ...[daysAgo(31), daysAgo(-1), "yesterday", 5].map((bad) => item(wallet, { occurredAt: bad })),
    ],
  });
  expect(body.results.map((result: Result) => result.code ?? null)).toEqual([
    null,
    ...Array.from({ length: 5 }, () => "invalid_metadata"),
    ...Array.from({ length: 4 }, () => "invalid_occurred_at"),
  ]);
  const [event] = await withDatabase((db) =>
    db.execute<{ metadata: object; occurredAt: string; isNow: boolean }>(sql`
      select metadata, to_char(occurred_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "occurredAt",
        created_at > now() - interval '1 minute' as "isNow"
      from point_events where point_system_id = ${pointSystemId}`),
  );
  expect(event).toEqual({ metadata, occurredAt, isNow: true });
});

test.each([false, true])(
  "a repetition whose occurredAt has become too old since answers as the first call did (atomic: %s)",
  async (atomic) => {
    const { fireBatch, wallet, pointsOf } = await scene();
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const send = (days: number, idempotencyKey: string) =>
      fireBatch({
        atomic,
        items: [
          item(wallet, { idempotencyKey, occurredAt: daysAgo(days) }),
          item(wallet, { idempotencyKey: `${idempotencyKey}-2` }),
        ],
      });
    expect((await send(29, "key")).body).toMatchObject({ credited: 2, refused: 0 });
    const again = await send(31, "key");
    expect(again.status).toBe(200);
    expect(again.body.results).toMatchObject([{ replayed: true }, { replayed: true }]);
    expect(await pointsOf(wallet)).toBe(20);

    const other = await send(31, "other");
    expect(atomic ? other.body : other.body.results[0]).toMatchObject({
      code: "invalid_occurred_at",
    });
    expect(await pointsOf(wallet)).toBe(atomic ? 20 : 30);
  },
);

test("an item whose occurredAt is refused keeps no other item of its key from being credited, and then repeats it", async () => {
  const { fireBatch, wallet, pointsOf } = await scene();
  const refused = item(wallet, { idempotencyKey: "key", occurredAt: "never" });
  const good = item(wallet, { idempotencyKey: "key" });
  const first = (await fireBatch({ items: [refused, good, refused] })).body.results;
  expect(first).toMatchObject([
    { code: "invalid_occurred_at" },
    { success: true },
    { code: "invalid_occurred_at" },
  ]);
  expect(first[1].replayed).toBeUndefined();
  const again = (await fireBatch({ items: [refused, good, refused] })).body.results;
  expect(again.map(({ replayed }: Result) => replayed)).toEqual([true, true, true]);
  expect(await pointsOf(wallet)).toBe(10);

  const other = { ...refused, idempotencyKey: "other" };
  const atomic = await fireBatch({ atomic: true, items: [{ ...other, occurredAt: null }, other] });
  expect(atomic).toMatchObject({ status: 409, body: { code: "invalid_occurred_at", item: 1 } });
  expect(await pointsOf(wallet)).toBe(10);
});

test.each([false, true])(
  "a call that is sent again whole repeats a key that stands twice in it, also when its occurredAt has become too old (atomic: %s)",
  async (atomic) => {
    const { fireBatch, wallet, pointsOf } = await scene();
    const send = async (days: number) => {
      const occurredAt = new Date(Date.now() - days * 86_400_000).toISOString();
      const items = [{ occurredAt }, {}, { occurredAt }].map((more) =>
        item(wallet, { idempotencyKey: "key", ...more }),
      );
      return fireBatch({ atomic, items });
    };
    expect((await send(29)).body).toMatchObject({ credited: 3, refused: 0 });
    const again = await send(31);
    expect(again).toMatchObject({ status: 200, body: { credited: 3, refused: 0 } });
    const replayed = { success: true, pointsAdded: 10, replayed: true };
    expect(again.body.results).toMatchObject([replayed, replayed, replayed]);
    expect(await pointsOf(wallet)).toBe(10);
  },
);

test("after a refusal at the points maximum, smaller items of the wallet are judged as calls are", async () => {
  const wallet = createAddress();
  const { fireBatch, pointSystemId } = await scene({
    triggers: [{ key: "purchase", points: 5 }],
    events: Array.from({ length: 1 }, () => ({ address: wallet, points: 1_000_000_000 })),
  });
  await makeVariable(pointSystemId, "purchase", 1, 1_000_000_000);
  await withDatabase((db) =>
    db.execute(sql`
      update wallets set points = ${Number.MAX_SAFE_INTEGER - 10}::bigint
      where point_system_id = ${pointSystemId}`),
  );
  const { body } = await fireBatch({
    items: [6, 5, 4, 1].map((points) => item(wallet, { triggerKey: "purchase", points })),
  });
  expect(body.results.map((result: Result) => result.pointsAdded ?? result.code)).toEqual([
    6,
    "points_limit_reached",
    4,
    "points_limit_reached",
  ]);
});
