import { expect, test } from "vitest";
import { listPointSystemAudit } from "../../app/services/access/audit-log";
import { addToBlacklist } from "../../app/services/ledger/blacklist";
import { registerWalletByHand } from "../../app/services/ledger/registrations";
import { verifyLedger } from "../../app/services/ledger/verify";
import { call } from "../support/call";
import { failureOf, findOwner } from "../support/operators";
import { createAddress, scene } from "../support/scene";

const ENTRY = { points: 0, events: 0 };

test("Wallet not found: never received points or was never registered; a registered one is found", async () => {
  const s = await scene();
  const address = createAddress();
  expect((await s.get("/wallet", { address })).body.error).toBe(
    "Wallet not found in this point system",
  );
  const walletAddress = address.toUpperCase().replace("0X", "0x");
  const body = { pointSystemId: s.pointSystemId, walletAddress };
  expect(await s.post("/wallets", body)).toMatchObject({
    status: 200,
    body: { success: true, walletAddress: address, created: true },
  });
  expect(await s.get("/wallet", { address })).toMatchObject({
    status: 200,
    body: { address, ...ENTRY, rank: 1 },
  });
  expect((await s.get("/leaderboard")).body.leaderboard).toMatchObject([{ address, ...ENTRY }]);
  expect((await s.get("/activity")).body.activity).toEqual([]);
});

test("of a name that the body repeats, the last value counts", async () => {
  const s = await scene();
  const [first, last] = [createAddress(), createAddress()];
  const { status, body } = await call("/wallets", {
    method: "POST",
    headers: { authorization: `Bearer ${s.token}`, "content-type": "application/json" },
    body: `{"walletAddress":"${first}","pointSystemId":"${s.pointSystemId}","walletAddress":"${last}"}`,
  });
  expect({ status, body }).toMatchObject({ status: 200, body: { walletAddress: last } });
  expect((await s.get("/wallet", { address: first })).status).toBe(404);
});

test("a wallet is registered once, whoever registers it at once, and keeps what it has", async () => {
  const s = await scene();
  await s.fire();
  const [known, fresh] = [s.wallet, createAddress()];
  const register = (walletAddress: string) =>
    s.post("/wallets", { pointSystemId: s.pointSystemId, walletAddress });
  expect((await register(known)).body).toMatchObject({ success: true, created: false });
  expect(await s.pointsOf(known)).toBe(10);
  const answers = await Promise.all(Array.from({ length: 20 }, () => register(fresh)));
  expect(answers.filter(({ body }) => body.created)).toHaveLength(1);
  await s.fire({ walletAddress: fresh });
  expect((await s.get("/wallet", { address: fresh })).body).toMatchObject({
    points: 10,
    events: 1,
  });
  expect((await s.get("/leaderboard")).body.pagination.total).toBe(2);
  expect((await verifyLedger()).differences).toEqual([]);
});

test("a blacklisted wallet is not registered, over HTTP or by hand", async () => {
  const address = createAddress();
  const s = await scene({ blacklist: [{ address }] });
  const body = { pointSystemId: s.pointSystemId, walletAddress: address };
  expect(await s.post("/wallets", body)).toMatchObject({
    status: 403,
    body: { error: "Wallet is blacklisted" },
  });
  const owner = await findOwner(s.pointSystemId);
  const refused = await failureOf(registerWalletByHand(owner, address));
  expect(refused.code).toBe("wallet_blacklisted");
  expect((await s.get("/wallet", { address })).status).toBe(404);
});

test("400 for what is missing or no address, in this order", async () => {
  const s = await scene();
  const { pointSystemId } = s;
  for (const [body, error] of [
    [{}, "Missing required parameter: walletAddress"],
    [{ walletAddress: s.wallet }, "Missing required parameter: pointSystemId"],
    [{ pointSystemId, walletAddress: 7 }, "Missing required parameter: walletAddress"],
    [{ pointSystemId, walletAddress: "alice.eth" }, "Invalid wallet address"],
  ] as const) {
    expect(await s.post("/wallets", body)).toMatchObject({ status: 400, body: { error } });
  }
});

test("a wallet without points may be registered by an operator, and the audit log says so", async () => {
  const s = await scene();
  const owner = await findOwner(s.pointSystemId);
  const address = createAddress();
  expect(await registerWalletByHand(owner, address)).toBe(true);
  expect(await registerWalletByHand(owner, address)).toBe(false);
  expect((await s.get("/wallet", { address })).body).toMatchObject(ENTRY);
  const { entries } = await listPointSystemAudit(owner, {
    action: "wallet.register",
    actor: null,
    beforeId: null,
  });
  expect(entries).toMatchObject([{ subject: address }]);
  await addToBlacklist(owner, [{ address, reason: null }]);
  expect((await verifyLedger()).differences).toEqual([]);
});
