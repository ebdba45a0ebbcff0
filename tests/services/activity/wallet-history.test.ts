import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { giftCards, giftCardTiers } from "../../../app/db/schema/gift-cards";
import { distributions, rewards } from "../../../app/db/schema/rewards";
import { parseCursor } from "../../../app/domain/cursor";
import { parseUuid } from "../../../app/domain/uuid";
import { listFeed } from "../../../app/services/activity/feed";
import { listWalletHistory } from "../../../app/services/activity/wallet-history";
import { getWalletProfile } from "../../../app/services/board/wallet-profile";
import { addToBlacklist } from "../../../app/services/ledger/blacklist";
import { grantPoints } from "../../../app/services/ledger/grants";
import { listWalletRewards } from "../../../app/services/rewards/wallet-rewards";
import { PAGE_ROWS } from "../../../app/services/runtime/keyset";
import { findWalletOnBoard } from "../../../app/services/search/wallet-search";
import { linkWallets } from "../../../app/services/wallet-links/links";
import { voidById } from "../../support/events";
import { createMember, createOwner, failureOf, findOwner } from "../../support/operators";
import { createAddress, scene } from "../../support/scene";

test("a history has who granted and voided what, why, and when, and leaves corrections out", async () => {
  const s = await scene();
  const owner = await findOwner(s.pointSystemId);
  const editor = await createMember(owner, "editor");
  await s.fire();
  await grantPoints(owner, { address: s.wallet, points: 30, note: "welcome" });
  const [grant] = (await listWalletHistory(owner, s.wallet, null)).rows;
  await voidById(editor, grant?.id ?? "", "by mistake");
  const { rows } = await listWalletHistory(owner, s.wallet, null);
  expect(rows).toMatchObject([
    {
      event: null,
      points: 30,
      note: "welcome",
      operator: s.operator,
      import: null,
      voided: { operator: editor.actor.email, note: "by mistake", importId: null },
    },
    { event: "daily_login", points: 10, note: null, operator: null, voided: null },
  ]);
  expect(rows[0]?.voided?.date).toBeInstanceOf(Date);
});

test("a history and the activity have the data and the time that the caller gave", async () => {
  const { fireBatch, fire, pointSystemId, triggerKey, wallet } = await scene();
  const owner = await findOwner(pointSystemId);
  const metadata = { order: "A-1", amount: 12.5 };
  const occurredAt = new Date(Date.now() - 3_600_000);
  const item = { triggerKey, walletAddress: wallet, metadata, occurredAt };
  await fireBatch({ items: [item] });
  await fire();
  const wanted = [
    { metadata: null, occurredAt: null },
    { metadata: JSON.stringify(metadata), occurredAt },
  ];
  expect((await listWalletHistory(owner, wallet, null)).rows).toMatchObject(wanted);
  for (const trigger of [null, { key: triggerKey }]) {
    const filter = { address: null, trigger, firstDay: null, lastDay: null };
    expect((await listFeed(owner, filter, null)).events).toMatchObject(wanted);
  }
});

test("a long history goes on to older events and back, each once, also where dates are equal", async () => {
  const address = createAddress();
  const length = PAGE_ROWS * 2 + 5;
  const s = await scene({
    events: Array.from({ length }, (_, i) => ({
      address,
      points: i + 1,
      date: new Date(Date.UTC(2026, 0, 1, 0, 0, Math.floor(i / 20))).toISOString(),
    })),
  });
  const owner = await findOwner(s.pointSystemId);
  const seen: string[][] = [];
  let page = await listWalletHistory(owner, address, null);
  for (;;) {
    seen.push(page.rows.map(({ id }) => id));
    if (page.older === null) break;
    page = await listWalletHistory(owner, address, parseCursor(page.older, "older", parseUuid));
  }
  expect(seen.map((ids) => ids.length)).toEqual([PAGE_ROWS, PAGE_ROWS, 5]);
  expect(new Set(seen.flat()).size).toBe(length);
  page = await listWalletHistory(owner, address, parseCursor(page.newer ?? "", "newer", parseUuid));
  expect(page.rows.map(({ id }) => id)).toEqual(seen[1]);
});

test("a wallet's history costs little in a ledger with events of the first and the last year, in both directions", async () => {
  const [address, quiet] = [createAddress(), createAddress()];
  const years = ["0001", "1968", "2024", "2026", "9999"];
  const s = await scene({
    events: [
      { address: createAddress(), points: 1, date: "0001-01-01T00:00:00Z" },
      ...years.map((year, i) => ({ address, points: i + 1, date: `${year}-06-01T00:00:00Z` })),
      { address: quiet, points: 1, date: "2026-06-01T00:00:00Z" },
      { address: createAddress(), points: 1, date: "9999-12-31T00:00:00Z" },
    ],
  });
  const pointsOf = async (of: string) => {
    const { body } = await s.get("/activity", { address: of });
    return body.activity.map(({ points }: { points: number }) => points);
  };
  expect(await pointsOf(address)).toEqual([5, 4, 3, 2, 1]);
  expect(await pointsOf(quiet)).toEqual([1]);
  const list = async (of: string, isUpwards: boolean, skipped: number) => {
    const bytes = Buffer.from(of.slice(2), "hex");
    const [from, until] = isUpwards ? ["-infinity", "infinity"] : ["infinity", "-infinity"];
    const source = sql`list_events(
      ${s.pointSystemId}, ${bytes}, ${from}, ${s.pointSystemId}, ${until}, ${isUpwards}, true, ${skipped}, 50)`;
    const rows = await withDatabase((db) =>
      db.execute<{ points: number }>(sql`select points::int as points from ${source}`),
    );
    const [plan] = await withDatabase((db) =>
      db.execute<{ "QUERY PLAN": { Plan: Record<string, number> }[] }>(
        sql`explain (analyze, buffers, format json) select * from ${source}`,
      ),
    );
    // A walk over all stretches reads over 400,000 pages.
    expect(plan?.["QUERY PLAN"][0]?.Plan["Shared Hit Blocks"]).toBeLessThan(3_000);
    return rows.map(({ points }) => points);
  };
  expect(await list(address, true, 0)).toEqual([1, 2, 3, 4, 5]);
  expect(await list(address, false, 0)).toEqual([5, 4, 3, 2, 1]);
  expect(await list(address, false, 3)).toEqual([2, 1]);
  for (const isUpwards of [false, true]) expect(await list(quiet, isUpwards, 0)).toEqual([1]);
});

test("another point system's events of the same wallet are not in the history", async () => {
  const address = createAddress();
  await scene({ events: [{ address, points: 5 }] });
  const other = await createOwner();
  expect((await listWalletHistory(other, address, null)).rows).toEqual([]);
  expect(await getWalletProfile(other, address)).toMatchObject({
    points: 0,
    events: 0,
    rank: null,
    boardSize: 0,
    blacklisted: null,
  });
});

test("a profile has rank, board size, and the blacklist's reason", async () => {
  const [first, second, third] = [createAddress(), createAddress(), createAddress()];
  const s = await scene({
    events: [first, second, third].map((address, i) => ({ address, points: 30 - i })),
  });
  const owner = await findOwner(s.pointSystemId);
  await addToBlacklist(owner, [{ address: first, reason: "bot" }]);
  expect(await getWalletProfile(owner, second)).toMatchObject({ rank: 1, boardSize: 2 });
  expect((await getWalletProfile(owner, first)).blacklisted).toMatchObject({ reason: "bot" });
});

test("the profile of a linked wallet has its primary wallet's entry of the blacklist, or its own", async () => {
  const [primary, linked] = [createAddress(), createAddress()];
  const s = await scene({ events: [primary, linked].map((address) => ({ address, points: 30 })) });
  const owner = await findOwner(s.pointSystemId);
  await linkWallets(owner, { address: linked, primaryAddress: primary });
  const read = () => getWalletProfile(owner, linked);
  const place = { address: linked, holder: primary, points: 60 };
  expect(await read()).toMatchObject({ ...place, rank: 1, boardSize: 1, blacklisted: null });
  await addToBlacklist(owner, [{ address: primary, reason: "bot" }]);
  expect(await read()).toMatchObject({
    ...{ ...place, boardSize: 0 },
    blacklisted: { address: primary, reason: "bot" },
  });
  await addToBlacklist(owner, [{ address: linked, reason: "second" }]);
  expect(await read()).toMatchObject({
    ...{ holder: linked, points: 0 },
    blacklisted: { address: linked, reason: "second" },
  });
});

test("a wallet is found on its page of the board, by an address in any letter case", async () => {
  const wallets = Array.from({ length: 120 }, createAddress);
  const s = await scene({
    events: wallets.map((address, i) => ({ address, points: 1_000 - i })),
    blacklist: [{ address: wallets[3] ?? "" }],
  });
  const owner = await findOwner(s.pointSystemId);
  const find = (text = "") => findWalletOnBoard(owner, text);
  expect(await find(wallets[0])).toMatchObject({ standing: "board", page: 1 });
  expect(await find(` ${wallets[110]?.replace(/[a-f]/g, (c) => c.toUpperCase())} `)).toMatchObject({
    address: wallets[110],
    standing: "board",
    page: 3,
  });
  expect(await find(wallets[3])).toMatchObject({ standing: "blacklisted", page: null });
  expect(await find(createAddress())).toMatchObject({ standing: "unknown", page: null });
  expect((await failureOf(find("0x12"))).code).toBe("invalid_address_or_ens");
});

test("a linked wallet is found as its primary one, which is on the board for it", async () => {
  const [linked, primary] = [createAddress(), createAddress()];
  const s = await scene({ events: [linked, primary].map((address) => ({ address, points: 5 })) });
  const owner = await findOwner(s.pointSystemId);
  await linkWallets(owner, { address: linked, primaryAddress: primary });
  const onBoard = { address: primary, standing: "board", page: 1 };
  expect(await findWalletOnBoard(owner, linked)).toMatchObject(onBoard);
  await addToBlacklist(owner, [{ address: primary, reason: null }]);
  const banned = { standing: "blacklisted", page: null };
  expect(await findWalletOnBoard(owner, linked)).toMatchObject({ address: primary, ...banned });
  await addToBlacklist(owner, [{ address: linked, reason: null }]);
  expect(await findWalletOnBoard(owner, linked)).toMatchObject({ address: linked, ...banned });
});

test("a wallet is found by the beginning of its address, as in the palette, if no other begins so", async () => {
  const first = `0xabc1${"0".repeat(36)}`;
  const second = `0xabc2${"0".repeat(36)}`;
  const s = await scene({ events: [first, second].map((address) => ({ address, points: 5 })) });
  const owner = await findOwner(s.pointSystemId);
  expect(await findWalletOnBoard(owner, " 0xABC2 ")).toMatchObject({ address: second, page: 1 });
  const codeOf = async (text: string) => (await failureOf(findWalletOnBoard(owner, text))).code;
  expect(await codeOf("0xabc")).toBe("wallet_prefix_ambiguous");
  expect(await codeOf("0xdef")).toBe("wallet_prefix_unknown");
});

test("a wallet's rewards have exact amounts and no gift card's code", async () => {
  const { pointSystemId, ...owner } = await createOwner();
  const address = createAddress();
  await withDatabase(async (db) => {
    const [token] = await db
      .insert(rewards)
      .values({
        pointSystemId,
        kind: "token",
        campaignId: `CMP-${address.slice(2, 12)}`,
        campaignName: "Spring",
        tokenType: "custom",
        tokenSymbol: "PTS",
        tokenDecimals: 18,
        totalAmountWei: 10n ** 24n,
        status: "distributed",
      })
      .returning({ id: rewards.id });
    const [card] = await db
      .insert(rewards)
      .values({ pointSystemId, kind: "giftcard", campaignName: "Cards", status: "distributed" })
      .returning({ id: rewards.id });
    if (!token || !card) throw new Error("The rewards were not stored");
    await db.insert(distributions).values({
      pointSystemId,
      rewardId: token.id,
      address,
      amountWei: 1_500_000_000_000_000_001n,
      distributedAt: new Date("2026-02-01"),
      claimedAt: new Date("2026-02-03"),
    });
    const tier = { pointSystemId, rewardId: card.id };
    await db.insert(giftCardTiers).values({ ...tier, label: "Gold", position: 0 });
    await db.insert(giftCards).values({
      ...tier,
      tierLabel: "Gold",
      address,
      codeCiphertext: new Uint8Array(40),
      codeNonce: new Uint8Array(12),
      codeKeyId: "k1",
      distributedAt: new Date("2026-03-01"),
    });
  });
  const found = await listWalletRewards({ ...owner, pointSystemId }, address);
  expect(found).toEqual([
    {
      id: expect.any(String),
      rewardId: expect.any(String),
      name: "Cards",
      date: new Date("2026-03-01"),
      claimedAt: null,
      what: { kind: "giftcard", tier: "Gold", isRevealed: false },
    },
    {
      id: expect.any(String),
      rewardId: expect.any(String),
      name: "Spring",
      date: new Date("2026-02-01"),
      claimedAt: new Date("2026-02-03"),
      what: {
        kind: "token",
        amountWei: 1_500_000_000_000_000_001n,
        tokenDecimals: 18,
        tokenSymbol: "PTS",
      },
    },
  ]);
  expect(await listWalletRewards(await createOwner(), address)).toEqual([]);
});
