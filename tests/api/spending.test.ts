import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { API_PREFIXES } from "../../app/api/endpoints";
import { verifyLedger } from "../../app/services/ledger/verify";
import { createAddress, scene } from "../support/scene";
import { other } from "../support/test-database";

/** Creates a scene whose wallet earned points, and functions that spend them. */
async function richScene(earned = 100) {
  const s = await scene({ trigger: { points: earned } });
  await s.fire();
  const spend = (body: object = {}, headers: Record<string, string> = {}) =>
    s.post(
      "/spend",
      {
        ...{ pointSystemId: s.pointSystemId, walletAddress: s.wallet, points: 30, reason: "Mug" },
        ...body,
      },
      headers,
    );
  const reverse = (spendId: unknown, body: object = {}) =>
    s.post("/spend/reverse", { pointSystemId: s.pointSystemId, spendId, ...body });
  const balance = async (address: string = s.wallet) => (await s.get("/balance", { address })).body;
  return { ...s, spend, reverse, balance };
}

const expectNoDifferences = async () => expect((await verifyLedger()).differences).toEqual([]);

test("a spend takes points from the balance, and leaves the board's points as they were", async () => {
  const { spend, balance, wallet, get } = await richScene();
  const before = (await get("/wallet", { address: wallet })).body;
  const { status, body } = await spend({ walletAddress: wallet.toUpperCase().replace("X", "x") });
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      success: true,
      spendId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      walletAddress: wallet,
      pointsSpent: 30,
      balance: 70,
    },
  });
  expect(await balance()).toEqual({ address: wallet, earned: 100, spent: 30, balance: 70 });
  expect((await get("/wallet", { address: wallet })).body).toEqual(before);
  expect((await spend({ points: 70 })).body.balance).toBe(0);
  await expectNoDifferences();
});

test("a spend beyond the balance answers 409 and changes nothing, of an unknown wallet too", async () => {
  const { spend, balance, wallet } = await richScene();
  const refusal = {
    status: 409,
    body: { code: "insufficient_points", error: "Insufficient points" },
  };
  expect(await spend({ points: 101 })).toMatchObject(refusal);
  expect(await spend({ walletAddress: createAddress(), points: 1 })).toMatchObject(refusal);
  expect(await balance()).toEqual({ address: wallet, earned: 100, spent: 0, balance: 100 });
});

test("GET /balance of an unknown wallet answers as GET /wallet does", async () => {
  const { get } = await richScene();
  const address = createAddress();
  const answers = await Promise.all(["/balance", "/wallet"].map((path) => get(path, { address })));
  expect(answers[0]).toMatchObject({ status: 404, body: { code: "wallet_not_found" } });
  expect(answers[0]?.body).toEqual(answers[1]?.body);
});

test("a spend is given back once, and a repeated call repeats the first answer", async () => {
  const { spend, reverse, balance, wallet } = await richScene();
  const { spendId } = (await spend()).body;
  const first = await reverse(spendId);
  expect(first).toMatchObject({
    status: 200,
    body: { success: true, spendId, walletAddress: wallet, pointsReturned: 30, balance: 100 },
  });
  await spend({ points: 1 });
  const again = await Promise.all(Array.from({ length: 5 }, () => reverse(spendId)));
  expect(new Set(again.map(({ body }) => JSON.stringify(body)))).toEqual(
    new Set([JSON.stringify(first.body)]),
  );
  expect(await balance()).toMatchObject({ earned: 100, spent: 1, balance: 99 });
  await expectNoDifferences();
});

test("a reversal of what is no spend of the point system answers 404", async () => {
  const { spend, reverse } = await richScene();
  const other = await richScene();
  const foreign = (await other.spend()).body.spendId;
  const { spendId } = (await spend()).body;
  await reverse(spendId);
  for (const id of [randomUUID(), "no-uuid", foreign]) {
    expect(await reverse(id)).toMatchObject({ status: 404, body: { code: "spend_not_found" } });
  }
  expect(await other.balance()).toMatchObject({ spent: 30 });
});

test("with one Idempotency-Key, calls at once and later spend once and repeat one answer", async () => {
  const { spend, balance, fire } = await richScene();
  const headers = { "Idempotency-Key": "order-1" };
  const answers = await Promise.all(Array.from({ length: 20 }, () => spend({}, headers)));
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(answers.filter(({ headers: h }) => h.get("idempotent-replayed") === "true").length).toBe(
    19,
  );
  await fire();
  await spend({ points: 50 }, { "Idempotency-Key": "order-2" });
  expect((await spend({}, headers)).body).toEqual(answers[0]?.body);
  expect(await balance()).toMatchObject({ earned: 200, spent: 80 });
  for (const other of [{ points: 31 }, { reason: "Cup" }, { walletAddress: createAddress() }]) {
    expect(await spend(other, headers)).toMatchObject({
      status: 409,
      body: { code: "idempotency_key_reused" },
    });
  }
  await expectNoDifferences();
});

test("keys of POST /trigger and of other API keys are keys of their own", async () => {
  const { spend, fire, addKey, pointSystemId, balance } = await richScene();
  const headers = { "Idempotency-Key": "order-1" };
  expect((await fire({}, headers)).status).toBe(200);
  expect((await spend({}, headers)).status).toBe(200);
  const other = await addKey("trigger", [pointSystemId]);
  expect((await spend({}, { ...headers, Authorization: `Bearer ${other}` })).status).toBe(200);
  expect(await balance()).toMatchObject({ earned: 200, spent: 60 });
});

test("a blacklisted wallet spends nothing, and gets back what it spent before", async () => {
  const banned = createAddress();
  const s = await richScene();
  const refused = await scene({
    events: [{ address: banned, points: 50 }],
    blacklist: [{ address: banned }],
  });
  expect(
    await refused.post("/spend", {
      ...{ pointSystemId: refused.pointSystemId, walletAddress: banned, points: 1, reason: "Mug" },
    }),
  ).toMatchObject({ status: 403, body: { code: "wallet_blacklisted" } });
  expect((await s.spend()).status).toBe(200);
});

test.each<[body: object, error: string]>([
  [{ walletAddress: undefined }, "Missing required parameter: walletAddress"],
  [{ walletAddress: 7 }, "Missing required parameter: walletAddress"],
  [{ pointSystemId: "" }, "Missing required parameter: pointSystemId"],
  [{ points: undefined }, "Missing required parameter: points"],
  [{ points: null }, "Missing required parameter: points"],
  [{ reason: undefined }, "Missing required parameter: reason"],
  [{ walletAddress: "0x12" }, "Invalid wallet address"],
  ...[0, -1, 1.5, "30", 1_000_000_001, true, {}].map((points): [object, string] => [
    { points },
    "Invalid points",
  ]),
  ...["", "   ", "x".repeat(201), 7, "a\0b", "\ud800", ["Mug"]].map((reason): [object, string] => [
    { reason },
    "Invalid reason",
  ]),
])("%j is refused", async (body, error) => {
  const { spend, balance } = await richScene();
  expect(await spend(body)).toMatchObject({ status: 400, body: { error } });
  expect(await balance()).toMatchObject({ spent: 0 });
});

test("a reason of 200 characters beyond the basic plane is kept", async () => {
  const { spend } = await richScene();
  expect((await spend({ reason: "🎁".repeat(200) })).status).toBe(200);
});

test.each(["", "é", "x".repeat(256)])("the Idempotency-Key %j is refused", async (key) => {
  const { spend } = await richScene();
  const headers = { "Idempotency-Key": encodeURI(key) === key ? key : "\u00e9" };
  expect(await spend({}, headers)).toMatchObject({ body: { code: "invalid_idempotency_key" } });
});

test("a spend and its reversal are said to webhooks once, a repeated call and a refused one not", async () => {
  const { spend, reverse, pointSystemId, wallet } = await richScene();
  await other`
    insert into webhook_endpoints (point_system_id, id, url, event_types, secret_ciphertext, secret_nonce, secret_key_id, ledger_seq)
    values (${pointSystemId}, ${randomUUID()}, 'https://example.com/', '{points.spent,points.spend_reversed}', '', '', '', 0)`;
  const key = { "Idempotency-Key": "order-1" };
  const { spendId } = (await spend({}, key)).body;
  await spend({}, key);
  await spend({ points: 71 });
  await reverse(spendId);
  await reverse(spendId);
  const said = await other<{ type: string; data: object }[]>`
    select type, data from webhook_deliveries where point_system_id = ${pointSystemId} order by type`;
  const common = { spendId, walletAddress: wallet, points: 30 };
  expect([...said]).toEqual([
    { type: "points.spend_reversed", data: { ...common, balance: 100 } },
    { type: "points.spent", data: { ...common, reason: "Mug", balance: 70 } },
  ]);
});

test("all prefixes serve it", async () => {
  const { post, get, pointSystemId, wallet } = await richScene();
  for (const prefix of API_PREFIXES) {
    const body = { pointSystemId, walletAddress: wallet, points: 1, reason: "Mug" };
    const { spendId } = (await post(`${prefix}spend`, body)).body;
    expect((await post(`${prefix}spend/reverse`, { pointSystemId, spendId })).status).toBe(200);
    expect((await get(`${prefix}balance`, { address: wallet })).body).toMatchObject({ spent: 0 });
  }
});
