import { sql } from "drizzle-orm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { toArrayLiteral } from "../../app/db/array-literal";
import { withDatabase } from "../../app/db/client";
import { formatMetadata } from "../../app/domain/ledger/event-details";
import { metrics } from "../../app/process/metrics";
import { call } from "../support/call";
import { createAddress, scene } from "../support/scene";
import { waitUntil } from "../support/server-process";
import { other } from "../support/test-database";

type Result = { code?: string; pointsAdded?: number };

const item = (more: object = {}) => ({
  triggerKey: "daily_login",
  walletAddress: createAddress(),
  ...more,
});

test("metadata that cannot be kept refuses its item alone, and no call that shares the statement", async () => {
  const { token, pointSystemId, fire } = await scene();
  const deep = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;
  const bad = ['{"a":"\\ud800"}', '{"\\udc00":1}', '{"a":1e400}', '{"a":"\\u0000"}', deep];
  const good = ['{"a":"\\\\u0000"}', '{"a":"\\ud83d\\ude00"}'];
  const { walletAddress } = item();
  const items = [...bad, ...good].map(
    (metadata) =>
      `{"triggerKey":"daily_login","walletAddress":"${walletAddress}","metadata":${metadata}}`,
  );
  const [batch, ...others] = await Promise.all([
    call("/trigger/batch", {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: `{"pointSystemId":"${pointSystemId}","items":[${items.join(",")}]}`,
    }),
    ...Array.from({ length: 4 }, () => fire({ walletAddress: createAddress() })),
  ]);
  expect(batch?.body.results.map((result: Result) => result.code ?? null)).toEqual([
    ...bad.map(() => "invalid_metadata"),
    ...good.map(() => null),
  ]);
  expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});

test("PostgreSQL holds every metadata that is taken", async () => {
  const text = fc.string({ unit: "binary", maxLength: 8 });
  const broken = fc.constantFrom("\ud800", "a\udfff", "\0", "\\u0000", "\u2028");
  const value = fc.oneof(text, broken, fc.double(), fc.boolean(), fc.constant(null));
  const metadata = fc.dictionary(fc.oneof(text, broken), value, { maxKeys: 4 });
  const taken = fc.sample(metadata, 2_000).flatMap((each) => formatMetadata(each) ?? []);
  expect(taken.length).toBeGreaterThan(500);
  const [row] = await withDatabase((db) =>
    db.execute<{ count: number }>(sql`
      select count(*)::int as count from unnest(${toArrayLiteral(taken)}::jsonb[]) as m`),
  );
  expect(row?.count).toBe(taken.length);
});

test("an atomic call names the first refusal, whether or not the item is well-formed, and writes nothing", async () => {
  const { fireBatch, get } = await scene();
  const unknown = { triggerKey: "none" };
  const key = { idempotencyKey: "k" };
  const orders: [object[], number, string][] = [
    [[item(unknown), item({ walletAddress: "0x12" })], 0, "trigger_not_found"],
    [[item(), item({ walletAddress: "0x12" }), item(unknown)], 1, "invalid_wallet_address"],
    [[item({ metadata: [] }), item(unknown)], 0, "invalid_metadata"],
    [[item(key), item(unknown), item(key)], 1, "trigger_not_found"],
    [[item(key), item(), item(key)], 2, "idempotency_key_reused"],
  ];
  const credited = async () =>
    (await metrics.credits.get()).values.find(({ labels }) => labels.outcome === "credited")?.value;
  const before = await credited();
  for (const [items, place, code] of orders) {
    const { status, body } = await fireBatch({ atomic: true, items });
    expect([status, body.item, body.code]).toEqual([409, place, code]);
  }
  expect(await credited()).toBe(before);
  expect((await get("/activity")).body.pagination.total).toBe(0);
});

test("points that are none are refused as POST /trigger refuses them", async () => {
  const { fire, fireBatch } = await scene();
  for (const points of [0, 1.5, "5", {}]) {
    for (const triggerKey of ["none", "daily_login"]) {
      const { body } = await fireBatch({ items: [item({ triggerKey, points })] });
      const code = triggerKey === "none" ? "trigger_not_found" : "invalid_points";
      expect(body.results[0].code).toBe(code);
    }
    expect((await fire({ triggerKey: "none", points })).body.code).toBe("trigger_not_found");
  }
});

test("a thousand items beyond a cap in points are judged exactly by one statement", async () => {
  const { fireBatch, pointSystemId } = await scene({ triggers: [{ key: "buy", points: 5 }] });
  await withDatabase((db) =>
    db.execute(sql`
      update triggers set points_min = 1, points_max = 1000, cap_id = gen_random_uuid(), cap_points = 1000,
        cap_window = 'daily', cap_time_zone = 'UTC'
      where point_system_id = ${pointSystemId} and key = 'buy'`),
  );
  const { walletAddress } = item();
  const points = [990, ...Array.from({ length: 997 }, () => 100), 10, 1];
  const items = points.map((each) => item({ triggerKey: "buy", walletAddress, points: each }));
  const statements = async () =>
    (await metrics.batchCalls.get()).values.find(
      ({ metricName, labels }) =>
        metricName === "points_batch_calls_count" && labels.batcher === "credits",
    )?.value ?? 0;
  const before = await statements();
  const { body } = await fireBatch({ items });
  expect(await statements()).toBe(before + 1);
  const results = body.results as Result[];
  expect(results.flatMap(({ pointsAdded }) => pointsAdded ?? [])).toEqual([990, 10]);
  expect(new Set(results.flatMap(({ code }) => code ?? []))).toEqual(
    new Set(["trigger_cap_reached"]),
  );
});

/** Ways to take a point system's key away, with the answers of a call that comes afterwards. */
const LOSSES = [
  ["expires_at = now()", 401, "invalid_api_key"],
  ["permission = 'read'", 403, "trigger_permission_missing"],
] as const;

test.each(LOSSES.flatMap((loss) => [false, true].map((atomic) => [...loss, atomic] as const)))(
  "a key whose %s while its batch waits refuses the call with %i %s, atomic: %s",
  async (change, status, code, atomic) => {
    const { fireBatch, pointSystemId, wallet } = await scene();
    let answer: ReturnType<typeof fireBatch> | undefined;
    await other.begin(async (tx) => {
      await tx`select lock_ledger(${pointSystemId}::uuid)`;
      answer = fireBatch({ atomic, items: [item({ walletAddress: wallet }), item()] });
      await waitUntil(async () => {
        const [row] = await tx<{ waiting: number }[]>`
        select count(*)::int as waiting from pg_locks
        where locktype = 'advisory' and not granted and database = (
          select oid from pg_database where datname = current_database())`;
        return row?.waiting === 1;
      }, 5_000);
      await tx`
      update api_keys set ${tx.unsafe(change)} where id = (
        select api_key_id from api_key_point_systems where point_system_id = ${pointSystemId})`;
    });
    expect(await answer).toMatchObject({ status, body: { code } });
    expect(
      await other`select from point_events where point_system_id = ${pointSystemId}`,
    ).toHaveLength(0);
  },
);
