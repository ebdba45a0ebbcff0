import { expect, test } from "vitest";
import { createBoard } from "../../app/services/board/boards";
import { loadFixture } from "../../app/services/fixture/load-fixture";
import { createTrigger } from "../../app/services/point-systems/triggers";
import { foldStreaks } from "../../app/services/progress/streak-fold";
import { createStreak, listWalletStreaks } from "../../app/services/progress/streaks";
import { listTiers, setTiers } from "../../app/services/progress/tiers";
import { manageScene } from "../support/manage";
import { findOwner } from "../support/operators";
import { createAddress, scene } from "../support/scene";
import { other } from "../support/test-database";

const BRONZE = { name: "Bronze", pointsMin: 15, color: "#a05a2c" };
const GOLD = { name: "Gold", pointsMin: 30, color: "#d4af37" };

async function createWorld() {
  const api = await scene();
  const member = await findOwner(api.pointSystemId);
  await setTiers(member, [BRONZE, GOLD]);
  return { ...api, member };
}

test("include=tier and include=streaks add to GET /wallet what they name, and nothing else does", async () => {
  const { pointSystemId, member, wallet, fire, get } = await createWorld();
  await createStreak(member, {
    ...{ key: "daily", name: "Daily", triggerKeys: null, timeZone: "UTC", bonuses: [] },
  });
  await fire();
  await foldStreaks(pointSystemId, 100);
  const entry = { address: wallet, points: 10, events: 1, rank: 1 };
  const read = async (include?: string) =>
    (await get("/wallet", { address: wallet, ...(include && { include }) })).body;
  expect(await read()).toEqual(entry);
  expect(await read("tier")).toEqual({ ...entry, tier: null });
  const today = new Date().toISOString().slice(0, 10);
  const streaks = [{ key: "daily", name: "Daily", current: 1, longest: 1, lastDay: today }];
  expect(await read("streaks")).toEqual({ ...entry, streaks });
  await fire();
  expect(await read("tier,streaks")).toEqual({
    ...{ ...entry, points: 20, events: 2, tier: BRONZE, streaks },
  });
  for (const include of ["Tier", "streaks,tier", "x"]) {
    expect(await read(include)).toMatchObject({ code: "invalid_include" });
  }
});

test("include=tier gives each wallet of a board the tier of all its points", async () => {
  const { member, wallet, fire, get } = await createWorld();
  const late = createAddress();
  for (let n = 0; n < 3; n += 1) await fire();
  // A season that has just begun counts only what comes now.
  const startsAt = new Date(Date.now() + 1);
  await createBoard(member, {
    ...{ kind: "season", slug: "now", name: "Now", timeZone: "UTC", isPublic: true },
    season: { startsAt, endsAt: new Date(startsAt.getTime() + 3_600_000) },
  });
  await new Promise((resolve) => setTimeout(resolve, 10));
  await fire({ walletAddress: late });
  await fire();
  const list = async (query: Record<string, string>) =>
    (await get("/leaderboard", query)).body.leaderboard;
  const first = { address: wallet, points: 40, events: 4, rank: 1 };
  const second = { address: late, points: 10, events: 1, rank: 2 };
  expect(await list({})).toEqual([first, second]);
  const tiered = [
    { ...first, tier: GOLD },
    { ...second, tier: null },
  ];
  expect(await list({ include: "tier" })).toEqual(tiered);
  expect(await list({ include: "tier", around: wallet })).toEqual(tiered);
  const ofSeason: { address: string; points: number; tier: object | null }[] = await list({
    ...{ include: "tier", board: "season:now" },
  });
  expect(new Map(ofSeason.map(({ address, points, tier }) => [address, { points, tier }]))).toEqual(
    new Map([
      [wallet, { points: 10, tier: GOLD }],
      [late, { points: 10, tier: null }],
    ]),
  );
  const [onSeason] = [
    await get("/wallet", { address: wallet, board: "season:now", include: "tier" }),
  ];
  expect(onSeason.body).toMatchObject({ points: 10, tier: GOLD });
  expect((await get("/leaderboard", { include: "streaks" })).body.code).toBe("invalid_include");
});

test("the management API sets tiers and streaks as the forms do", async () => {
  const { owner, send, newestAudit } = await manageScene();
  await createTrigger(owner, { key: "login", name: "Login", points: 5, variable: null });
  const unsorted = { tiers: [{ ...GOLD, color: "#D4AF37" }, BRONZE] };
  expect((await send("tiers/set", unsorted)).body).toEqual({ success: true });
  expect((await send("tiers")).body).toEqual({ tiers: [BRONZE, GOLD] });
  expect(await newestAudit()).toMatchObject({ action: "tiers.update" });
  for (const tiers of [
    [BRONZE, { ...GOLD, name: "Bronze" }],
    [BRONZE, { ...GOLD, pointsMin: 15 }],
    [{ ...BRONZE, color: "red" }],
    [{ ...BRONZE, pointsMin: -1 }],
    Array.from({ length: 21 }, (_, n) => ({ name: `T${n}`, pointsMin: n, color: "#000000" })),
  ]) {
    expect((await send("tiers/set", { tiers })).body.code).toBe("invalid_field");
  }

  const bonuses = [{ days: 7, triggerKey: "login" }];
  const made = {
    ...{ key: "daily", name: "Daily", triggerKeys: ["login"], timeZone: "Europe/Berlin", bonuses },
  };
  expect((await send("streaks/create", made)).body).toEqual({ success: true });
  expect((await send("streaks/create", made)).body.code).toBe("streak_taken");
  for (const wrong of [
    { bonuses: [...bonuses, ...bonuses] },
    { bonuses: [{ days: 1, triggerKey: "login" }] },
    { bonuses: [{ days: 7, triggerKey: "no_such" }] },
    { triggerKeys: [] },
    { timeZone: "Mars/Base" },
    { name: "" },
  ]) {
    const { body } = await send("streaks/create", { ...made, key: "wrong", ...wrong });
    expect(body.code).toBe("invalid_field");
  }
  const changed = { key: "daily", name: "New", bonuses: [] };
  expect((await send("streaks/update", changed)).status).toBe(200);
  expect((await send("streaks")).body).toEqual({ streaks: [{ ...made, ...changed }] });
  expect((await send("streaks/delete", { key: "daily" })).status).toBe(200);
  expect((await send("streaks/delete", { key: "daily" })).body.code).toBe("not_found");
  expect(await newestAudit()).toMatchObject({ action: "streak.delete", subject: "daily" });
});

test("a fixture file adds tiers and streaks once, and counts its events as days", async () => {
  const operator = `${crypto.randomUUID()}@example.com`;
  const id = crypto.randomUUID();
  const wallet = createAddress();
  const system = {
    ...{ operator, id, name: "Alpha" },
    triggers: [{ key: "login", points: 10 }],
    events: [1, 2, 3].map((n) => ({
      ...{ address: wallet, points: 10, event: "login", date: `2026-06-0${n}T12:00:00Z` },
    })),
    tiers: [GOLD, BRONZE],
    streaks: [{ key: "daily", bonuses: [{ days: 2, trigger: "login" }] }],
  };
  const operators = [{ email: operator, password: "a long passphrase" }];
  const load = (change: object = {}) =>
    loadFixture({ operators, pointSystems: [{ ...system, ...change }] });
  for (const [change, path] of [
    [{ tiers: [GOLD, GOLD] }, "pointSystems[0].tiers"],
    [{ tiers: [{ ...GOLD, color: "gold" }] }, "pointSystems[0].tiers[0].color"],
    [{ streaks: [{ key: "x", triggers: ["no_such"] }] }, "pointSystems[0].streaks[0].triggers"],
    [
      { streaks: [{ key: "x", bonuses: [{ days: 2, trigger: "no_such" }] }] },
      "pointSystems[0].streaks[0].bonuses",
    ],
    [{ streaks: [{ key: "x", timeZone: "Mars" }] }, "pointSystems[0].streaks[0].timeZone"],
    [{ streaks: [{ key: "x", timeZone: "ECT" }] }, "pointSystems[0].streaks[0].timeZone"],
  ] as const) {
    await expect(load(change)).rejects.toMatchObject({ problems: [{ path }] });
  }
  await load();
  await load();
  expect(await listTiers(id)).toEqual([BRONZE, GOLD]);
  await foldStreaks(id, 100);
  expect(await listWalletStreaks(id, wallet)).toEqual([
    { key: "daily", name: "daily", current: 0, longest: 3, lastDay: "2026-06-03" },
  ]);
  const points = await other<{ points: number }[]>`
    select points::int from wallets where point_system_id = ${id}`;
  expect(points.map((row) => row.points)).toEqual([30]);
});
