import { randomUUID } from "node:crypto";
import { expect, test, vi } from "vitest";
import { withDatabase } from "../../app/db/client";
import { generateApiKeyToken } from "../../app/domain/access/api-key";
import { flushRefusedCalls } from "../../app/services/insights/refused-calls";
import { call } from "../support/call";
import { createAddress, scene } from "../support/scene";

/** Reads a point system's counts of refused calls, by code. */
async function readCounts(pointSystemId: string): Promise<Record<string, number>> {
  await flushRefusedCalls();
  const rows = await withDatabase((db) =>
    db.execute<{ code: string; calls: number }>(
      `select code, calls::int as calls from refused_calls where point_system_id = '${pointSystemId}'`,
    ),
  );
  return Object.fromEntries(rows.map(({ code, calls }) => [code, calls]));
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

test("refused reads are counted for the point system in their query, whichever check refused them", async () => {
  const { pointSystemId, get, addKey } = await scene();
  const triggerKey = await addKey("trigger", [pointSystemId]);
  const elsewhere = await addKey("all", []);
  const address = createAddress();
  expect((await call(`/wallet?pointSystemId=${pointSystemId}`)).status).toBe(401);
  expect((await get("/wallet", {}, { Authorization: "Basic x" })).status).toBe(401);
  expect((await get("/wallet", {}, bearer(generateApiKeyToken()))).status).toBe(401);
  expect((await get("/activity", {}, bearer(triggerKey))).status).toBe(403);
  expect((await get("/activity", {}, bearer(elsewhere))).status).toBe(403);
  expect((await get("/wallet", { address })).status).toBe(404);
  expect(await readCounts(pointSystemId)).toEqual({
    missing_api_key: 1,
    invalid_api_key_format: 1,
    invalid_api_key: 1,
    read_permission_missing: 1,
    point_system_out_of_scope: 1,
    wallet_not_found: 1,
  });
});

test("refused credits are counted for the point system in their body, in any letter case", async () => {
  const { pointSystemId, fire } = await scene();
  const upperCase = pointSystemId.toUpperCase();
  expect((await fire({ triggerKey: "none" })).status).toBe(404);
  expect((await fire({ triggerKey: "none", pointSystemId: upperCase })).status).toBe(404);
  for (let i = 0; i < 11; i += 1) await fire();
  expect((await fire({}, bearer(generateApiKeyToken()))).status).toBe(401);
  // These calls are refused before the body is read; over HTTP, its length is declared.
  const declared = { Authorization: "Basic x", "Content-Length": "200" };
  expect((await fire({}, declared)).status).toBe(401);
  await vi.waitFor(async () => {
    expect(await readCounts(pointSystemId)).toEqual({
      trigger_not_found: 2,
      rate_limit_exceeded: 1,
      invalid_api_key: 1,
      invalid_api_key_format: 1,
    });
  });
});

test("each refused item of a batch is counted as a call, with the calls that caps refused", async () => {
  const { pointSystemId, fireBatch, wallet } = await scene({
    triggers: [{ key: "once", points: 5 }],
  });
  await withDatabase((db) =>
    db.execute(`
      update triggers set cap_id = gen_random_uuid(), cap_times = 1, cap_window = 'daily', cap_time_zone = 'UTC'
      where point_system_id = '${pointSystemId}' and key = 'once'`),
  );
  const item = (triggerKey: string, walletAddress = wallet) => ({ triggerKey, walletAddress });
  const items = [...["once", "once", "once", "none"].map((key) => item(key)), item("once", "0x12")];
  const { body } = await fireBatch({ pointSystemId: pointSystemId.toUpperCase(), items });
  expect([body.credited, body.refused]).toEqual([1, 4]);
  // It is refused as one call, with a status that is not counted.
  expect((await fireBatch({ atomic: true, items })).status).toBe(409);
  expect(await readCounts(pointSystemId)).toEqual({ trigger_cap_reached: 2, trigger_not_found: 1 });
  const [day] = await withDatabase((db) =>
    db.execute<{ calls: number }>(
      `select sum(capped_calls)::int as calls from daily_totals where point_system_id = '${pointSystemId}'`,
    ),
  );
  expect(day?.calls).toBe(2);
});

test("what is bad input, or answers well, or names no point system, is not counted", async () => {
  const { pointSystemId, fire, get } = await scene();
  expect((await fire()).status).toBe(200);
  expect((await fire({ walletAddress: "x" })).status).toBe(400);
  expect((await get("/leaderboard", { page: "0" })).status).toBe(400);
  expect((await call("/leaderboard", { method: "POST" })).status).toBe(405);
  for (const nonsense of ["", "nonsense", "\u0000", "__proto__"]) {
    await get("/wallet", { pointSystemId: nonsense, address: createAddress() });
    await fire({ pointSystemId: nonsense });
  }
  for (const body of ["", "null", "[1]", "{", `{"pointSystemId":7}`, "x".repeat(20_000)]) {
    expect((await call("/trigger", { method: "POST", body })).status).toBe(401);
  }
  const madeUp = randomUUID();
  await get("/wallet", { pointSystemId: madeUp, address: createAddress() });
  expect(await readCounts(pointSystemId)).toEqual({});
  expect(await readCounts(madeUp)).toEqual({});
});
