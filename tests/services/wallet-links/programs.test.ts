import { expect, test } from "vitest";
import { createBoard } from "../../../app/services/board/boards";
import { previewImport } from "../../../app/services/imports/preview";
import { createImport, undoImport } from "../../../app/services/imports/steps";
import { addToBlacklist } from "../../../app/services/ledger/blacklist";
import { findBalance, reverseSpendByHand } from "../../../app/services/ledger/spending";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { createBoost } from "../../../app/services/point-systems/boosts";
import { testFireTrigger } from "../../../app/services/point-systems/test-fire";
import { foldStreaks } from "../../../app/services/progress/streak-fold";
import { createStreak } from "../../../app/services/progress/streaks";
import { foldTiers } from "../../../app/services/progress/tier-changes";
import { setTiers } from "../../../app/services/progress/tiers";
import { linkWallets, unlinkWallet } from "../../../app/services/wallet-links/links";
import { record, voidById } from "../../support/events";
import { createGiftCardKey, useGiftCardKeys } from "../../support/gift-cards";
import { commitFile, fillWallet, runImports, toCsv } from "../../support/imports";
import { codeOf, findOwner, grant } from "../../support/operators";
import { listen, listSaid } from "../../support/said-events";
import { createAddress, scene } from "../../support/scene";
import { other } from "../../support/test-database";

// Boosts, spending, tiers and streaks at a linked wallet.

async function createWorld() {
  const s = await scene({ trigger: { points: 10 } });
  const member = await findOwner(s.pointSystemId);
  const [primary, linked] = [createAddress(), createAddress()];
  const spend = async (walletAddress: string, idempotencyKey?: string, points = 30) => {
    const call = { pointSystemId: s.pointSystemId, walletAddress, points, reason: "Mug" };
    const { status, body, headers } = await s.post("/spend", call, {
      ...(idempotencyKey !== undefined && { "Idempotency-Key": idempotencyKey }),
    });
    const isReplayed = headers.get("idempotent-replayed") === "true";
    return { status, isReplayed, id: body.spendId, balance: body.balance, code: body.code };
  };
  return {
    ...{ ...s, member, primary, linked, spend },
    link: () => linkWallets(member, { address: linked, primaryAddress: primary }),
    unlink: () => unlinkWallet(member, linked),
    balanceOf: (address: typeof primary) => findBalance(s.pointSystemId, address),
  };
}

test("a credit of a linked wallet is boosted as its primary wallet's, whoever credits", async () => {
  const { member, primary, linked, fire, link, unlink, pointSystemId } = await createWorld();
  const boost = (factor: number, wallets: readonly (typeof primary)[]) =>
    createBoost(member, {
      ...{ name: `${factor}`, factor, wallets, startsAt: null, timeZone: "UTC", triggerKeys: null },
      endsAt: new Date(Date.now() + 3_600_000),
    });
  await boost(2, [primary]);
  await boost(5, [linked]);
  await link();
  const added = async () => (await fire({ walletAddress: linked })).body.pointsAdded;
  expect(await added()).toBe(20);
  expect(await testFireTrigger(member, "daily_login", linked)).toEqual({ points: 20 });
  await unlink();
  expect(await added()).toBe(50);
  const events = await other<{ address: string; named: string | null; factor: number }[]>`
    select '0x' || encode(address, 'hex') as address, '0x' || encode(named_address, 'hex') as named,
      boost_factor::float8 as factor
    from point_events where point_system_id = ${pointSystemId} order by seq`;
  expect(events).toEqual([
    { address: primary, named: linked, factor: 2 },
    { address: primary, named: linked, factor: 2 },
    { address: linked, named: null, factor: 5 },
  ]);
  expect((await verifyLedger()).differences).toEqual([]);
});

test("a linked wallet spends what its primary one has, and the same key spends once", async () => {
  const { member, primary, linked, spend, link, unlink, balanceOf, post, pointSystemId } =
    await createWorld();
  await grant(member, primary, 60);
  await grant(member, linked, 40);
  const before = await spend(linked, "before");
  expect(before).toMatchObject({ status: 200, isReplayed: false, balance: 10 });
  await link();
  const both = { earned: 100, spent: 30, balance: 70 };
  expect(await balanceOf(primary)).toEqual(both);
  expect(await balanceOf(linked)).toEqual(both);
  expect(await spend(linked, "before")).toEqual({ ...before, isReplayed: true });

  const after = await spend(linked, "after");
  expect(after).toMatchObject({ status: 200, isReplayed: false, balance: 40 });
  expect(await spend(linked, "after")).toEqual({ ...after, isReplayed: true });
  expect(await spend(linked, "after", 31)).toMatchObject({ code: "idempotency_key_reused" });
  expect(await spend(primary, "after")).toMatchObject({ code: "idempotency_key_reused" });
  await unlink();
  expect(await spend(linked, "after")).toEqual({ ...after, isReplayed: true });
  await link();
  expect(await spend(linked, undefined, 41)).toMatchObject({ code: "insufficient_points" });
  for (const { id } of [before, after]) {
    const { body } = await post("/spend/reverse", { pointSystemId, spendId: id });
    expect(body.walletAddress).toBe(primary);
  }
  expect(await balanceOf(linked)).toEqual({ earned: 100, spent: 0, balance: 100 });
  expect((await verifyLedger()).differences).toEqual([]);
});

test("the dry run of an import judges a linked wallet by its primary one", async () => {
  const { member, primary, linked, link } = await createWorld();
  const room = 7;
  const empty = await fillWallet(member, primary, room);
  await link();
  const preview = async (rows: Parameters<typeof toCsv>[0]) =>
    previewImport(member, (await createImport(member, { fileName: "a.csv", csv: toCsv(rows) })).id);
  const fresh = createAddress();
  const known = await preview([
    [linked, 5],
    [fresh, 6],
  ]);
  expect(known).toMatchObject({ wallets: 2, newWallets: 1, problemRows: 0 });
  const full = await preview([
    [primary, 5],
    [linked, 5],
    [fresh, 6],
  ]);
  expect(full).toMatchObject({ wallets: 2, newWallets: 1, points: 11 });
  expect(full.problems).toMatchObject([{ line: 2, problem: "wallet_full" }]);
  await empty();
});

test("the undoing of an import is refused at once where the primary wallet has spent the points", async () => {
  const { member, primary, linked, spend, link, balanceOf } = await createWorld();
  const importId = await commitFile(member, toCsv([[linked, 50]]));
  await runImports();
  await link();
  const { id } = await spend(primary, "all", 20);
  expect(await codeOf(undoImport(member, importId))).toBe("points_are_spent");
  await reverseSpendByHand(member, id, null);
  await undoImport(member, importId);
  await runImports();
  expect(await balanceOf(primary)).toMatchObject({ earned: 0, spent: 0 });
  expect((await verifyLedger()).differences).toEqual([]);
});

test("a voided event leaves the streak of the wallet that was credited, wherever its points are", async () => {
  const { member, primary, linked, link, pointSystemId } = await createWorld();
  await createStreak(member, {
    ...{ key: "daily", name: "Daily", triggerKeys: null, timeZone: "UTC", bonuses: [] },
  });
  const credit = (address: typeof primary, day: number) =>
    record(pointSystemId, [
      { address, points: 10, event: "daily_login", date: new Date(Date.UTC(2026, 5, day)) },
    ]);
  const countDays = async () => {
    while ((await foldStreaks(pointSystemId, 1)) > 0);
    const rows = [linked, primary].map(
      (wallet) => other<{ days: number }[]>`
        select count(*)::int as days from streak_days
        where point_system_id = ${pointSystemId} and address = ${Buffer.from(wallet.slice(2), "hex")}`,
    );
    return (await Promise.all(rows)).map(([row]) => row?.days);
  };
  const [first = ""] = await credit(linked, 1);
  const [second = ""] = await credit(linked, 2);
  await credit(primary, 1);
  await link();
  await credit(linked, 2);
  expect(await countDays()).toEqual([2, 2]);
  for (const id of [first, second]) {
    expect((await voidById(member, id)).address).toBe(primary);
  }
  expect(await countDays()).toEqual([0, 2]);
  expect((await verifyLedger()).differences).toEqual([]);
});

test("a linked wallet is answered with the streaks of its primary one, as with its points", async () => {
  const { member, primary, linked, fire, get, link, unlink, pointSystemId } = await createWorld();
  await createStreak(member, {
    ...{ key: "daily", name: "Daily", triggerKeys: null, timeZone: "UTC", bonuses: [] },
  });
  await setTiers(member, [{ name: "Bronze", pointsMin: 40, color: "#808080" }]);
  const day = 86_400_000;
  const credit = (address: typeof primary, daysAgo: number) =>
    record(pointSystemId, [
      { address, points: 10, event: "daily_login", date: new Date(Date.now() - daysAgo * day) },
    ]);
  const read = async (address: typeof primary) => {
    while ((await foldStreaks(pointSystemId, 100)) > 0);
    const { body } = await get("/wallet", { address, include: "tier,streaks" });
    const [streak] = body.streaks;
    return { ...body, streaks: undefined, current: streak.current, longest: streak.longest };
  };
  await credit(linked, 9);
  await credit(primary, 1);
  await link();
  expect((await fire({ walletAddress: linked })).status).toBe(200);
  expect((await fire({ walletAddress: linked })).status).toBe(200);
  const held = { points: 40, tier: { name: "Bronze" }, current: 2, longest: 2 };
  expect(await read(primary)).toMatchObject({ ...held, address: primary });
  expect(await read(linked)).toEqual({ ...(await read(primary)), address: linked });
  await unlink();
  expect((await fire({ walletAddress: linked })).status).toBe(200);
  expect(await read(linked)).toMatchObject({ points: 10, tier: null, current: 1, longest: 1 });
});

test("linking says the primary wallet's new tier, and no loss of the linked one's", async () => {
  const { member, primary, linked, link, pointSystemId } = await createWorld();
  useGiftCardKeys(createGiftCardKey("k1"));
  await setTiers(member, [
    { name: "Bronze", pointsMin: 10, color: "#808080" },
    { name: "Silver", pointsMin: 50, color: "#808080" },
  ]);
  await listen(member);
  await grant(member, linked, 30);
  await grant(member, primary, 30);
  await link();
  while ((await foldTiers(pointSystemId, 1)) > 0);
  const said = (await listSaid(member)).flatMap(([type, data]) =>
    type === "wallet.tier_changed" ? (data as { wallets: object[] }).wallets : [],
  );
  expect(said).toEqual([
    { address: linked, from: null, to: "Bronze", points: 30 },
    { address: primary, from: null, to: "Bronze", points: 30 },
    { address: primary, from: "Bronze", to: "Silver", points: 60 },
  ]);
});

test("a linked wallet has its primary wallet's tier on every board, and a blacklisted one has its own", async () => {
  const { get, member, primary, linked, link } = await createWorld();
  await createBoard(member, {
    ...{ kind: "weekly", slug: null, name: "Week", timeZone: "UTC", isPublic: true, season: null },
  });
  await setTiers(member, [{ name: "Bronze", pointsMin: 10, color: "#808080" }]);
  await grant(member, primary, 50);
  await link();
  const read = async (address: string, board: object) =>
    (await get("/wallet", { address, include: "tier", ...board })).body;
  for (const board of [{}, { board: "weekly" }]) {
    expect(await read(linked, board)).toMatchObject({ points: 50, tier: { name: "Bronze" } });
    expect(await read(primary, board)).toMatchObject({ points: 50, tier: { name: "Bronze" } });
  }
  await addToBlacklist(member, [{ address: linked, reason: null }]);
  for (const board of [{}, { board: "weekly" }]) {
    expect(await read(linked, board)).not.toHaveProperty("tier.name");
  }
});
