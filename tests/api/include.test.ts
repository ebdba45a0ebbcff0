import { expect, test } from "vitest";
import { call } from "../support/call";
import { createHash, createReward, createShare } from "../support/rewards";
import { createAddress, scene } from "../support/scene";
import { other } from "../support/test-database";

// Fields that an answer has only where its caller asks for them.

test("a credit with include answers its event and the wallet's new standing", async () => {
  const ahead = createAddress();
  const { fire, get, wallet } = await scene({ events: [{ address: ahead, points: 15 }] });
  const credit = (await fire({ include: "wallet" })).body;
  const [event] = (await get("/activity", { address: wallet })).body.activity;
  expect(credit).toMatchObject({
    success: true,
    pointsAdded: 10,
    eventId: event.id,
    wallet: { address: wallet, points: 10, events: 1, rank: 2 },
  });
  expect((await fire({ include: "wallet" })).body.wallet).toMatchObject({ points: 20, rank: 1 });
});

test("a repetition with include has the standing of now, and no event of its own", async () => {
  const { fire } = await scene();
  const headers = { "Idempotency-Key": "order-1" };
  await fire({}, headers);
  await fire();
  const { body } = await fire({ include: "wallet" }, headers);
  expect(body).toMatchObject({ pointsAdded: 10, eventId: null, wallet: { points: 20, events: 2 } });
});

test("a key that may not read is refused with include, before anything is credited", async () => {
  const { fire, pointSystemId, addKey, pointsOf, wallet } = await scene();
  const token = await addKey("trigger", [pointSystemId]);
  const headers = { Authorization: `Bearer ${token}` };
  expect(await fire({ include: "wallet" }, headers)).toMatchObject({
    status: 403,
    body: { code: "read_permission_missing" },
  });
  expect(await pointsOf(wallet)).toBe(0);
  expect((await fire({}, headers)).status).toBe(200);
});

test("a key that may not credit is told so with include as without, whatever it reaches", async () => {
  const { fire, addKey } = await scene();
  const token = await addKey("read", [(await scene()).pointSystemId]);
  const headers = { Authorization: `Bearer ${token}` };
  for (const more of [{}, { include: "wallet" }]) {
    expect((await fire(more, headers)).body.code).toBe("trigger_permission_missing");
  }
});

test("a key that cannot be looked up is asked for once: the second look-up would break the deadline", async () => {
  const { pointSystemId, token, triggerKey, wallet, pointsOf } = await scene();
  const request = {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ pointSystemId, triggerKey, walletAddress: wallet, include: "wallet" }),
  };
  const answer = await other.begin(async (tx) => {
    await tx`lock table api_keys in access exclusive mode`;
    const startedAt = performance.now();
    const { status, body } = await call("/trigger", request, () => {});
    return { status, code: body.code, tookMs: performance.now() - startedAt };
  });
  expect(answer).toMatchObject({ status: 503, code: "service_unavailable" });
  // PostgreSQL ends a look-up after 2 s.
  expect(answer.tookMs).toBeLessThan(3_500);
  expect(await pointsOf(wallet)).toBe(0);
});

test("include of anything else is refused, and nothing is credited", async () => {
  const { fire, get, pointsOf, wallet } = await scene();
  for (const include of ["rank", "", 1, ["wallet"]]) {
    expect(await fire({ include }), String(include)).toMatchObject({
      status: 400,
      body: { code: "invalid_include" },
    });
  }
  expect(await pointsOf(wallet)).toBe(0);
  expect((await get("/rewards", { include: "root" })).body.code).toBe("invalid_include");
});

test("amounts of rewards stand in base units beside their numbers, exact", async () => {
  const [open, claimed] = [
    createShare({ amount: "0.100000000000000001" }),
    createShare({ amount: "0.3", claimedAt: "2026-03-05T01:02:03Z", claimTxHash: createHash() }),
  ];
  const { get } = await scene({ rewards: [createReward({ distributions: [open, claimed] })] });
  const ask = async (query: Record<string, string>) => (await get("/rewards", query)).body.rewards;
  expect(await ask({ include: "wei" })).toMatchObject([
    { totalAmount: 1000.5, totalAmountWei: "1000500000000000000000" },
  ]);
  expect((await ask({ include: "wei", address: open.address })).eligible).toMatchObject([
    { allocatedAmount: 0.1, allocatedAmountWei: "100000000000000001" },
  ]);
  expect((await ask({ include: "wei", address: claimed.address })).claimed).toMatchObject([
    { claimedAmount: 0.3, claimedAmountWei: "300000000000000000" },
  ]);
  expect(JSON.stringify(await ask({ address: open.address }))).not.toContain("Wei");
});

test("a proof with include has the root that it leads to", async () => {
  const share = createShare();
  const reward = createReward({ distributions: [share] });
  await scene({ rewards: [reward] });
  const query = { onchainId: reward.airdrop.onchainId, chainId: "84532", address: share.address };
  const ask = async (more: Record<string, string>) =>
    (await call(`/rewards/proof?${new URLSearchParams({ ...query, ...more })}`)).body;
  const { root, ...proof } = await ask({ include: "root" });
  expect(root).toMatch(/^0x[0-9a-f]{64}$/);
  expect(await ask({})).toEqual(proof);
});
