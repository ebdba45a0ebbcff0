import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { createBoard, endBoard } from "../../app/services/board/boards";
import { loadFixture } from "../../app/services/fixture/load-fixture";
import { keyring } from "../support/fixture-file";
import { findOwner } from "../support/operators";
import { createAddress, scene } from "../support/scene";
import { other, readAtOnce } from "../support/test-database";

const YEAR = 2020;
const at = (day: number) => new Date(Date.UTC(YEAR, 0, day)).toISOString();
const [ANN, BOB, CAT] = [createAddress(), createAddress(), createAddress()];

/** Creates a point system with a season in the past, one that is open, and a weekly board. */
async function createSeasons() {
  const s = await scene({
    events: [
      { address: ANN, points: 5, event: null, date: at(1) },
      { address: ANN, points: 7, event: null, date: at(2) },
      { address: BOB, points: 30, event: null, date: at(3) },
      { address: BOB, points: 900, event: null, date: at(4) },
    ],
  });
  const owner = await findOwner(s.pointSystemId);
  const shared = { kind: "season", timeZone: "UTC", isPublic: true } as const;
  const season = { startsAt: new Date(at(2)), endsAt: new Date(at(4)) };
  await createBoard(owner, { ...shared, slug: "spring", name: "Spring", season });
  const open = { startsAt: new Date(at(3)), endsAt: new Date("2100-01-01") };
  await createBoard(owner, { ...shared, slug: "open", name: "Open", season: open });
  await createBoard(owner, {
    ...{ kind: "weekly", slug: null, name: "Week", timeZone: "Asia/Tokyo" },
    ...{ isPublic: true, season: null },
  });
  return { ...s, owner };
}

test("each board counts the events of its window, on all three endpoints", async () => {
  const s = await createSeasons();
  await s.fire({ walletAddress: CAT });
  const board = async (name: string) =>
    (await s.get("/leaderboard", { board: name })).body.leaderboard.map(
      (row: { address: string; points: number }) => [row.address, row.points],
    );
  expect(await board("season:spring")).toEqual([
    [BOB, 30],
    [ANN, 7],
  ]);
  expect(await board("season:open")).toEqual([
    [BOB, 930],
    [CAT, 10],
  ]);
  expect(await board("weekly")).toEqual([[CAT, 10]]);
  expect((await s.get("/leaderboard", { board: "season:spring", around: ANN })).body).toEqual({
    leaderboard: [
      { rank: 1, address: BOB, points: 30, events: 1 },
      { rank: 2, address: ANN, points: 7, events: 1 },
    ],
    pagination: { page: 1, limit: 50, total: 2, totalPages: 1 },
  });
  const wallet = { address: ANN, board: "season:spring" };
  expect((await s.get("/wallet", wallet)).body).toEqual({
    ...{ rank: 2, address: ANN, points: 7, events: 1 },
  });
  const [standing] = (await s.get("/points", wallet)).body.pointSystems;
  expect(standing).toMatchObject({ rank: 2, points: 7, events: 1, totalParticipants: 2 });
  // The week has a name of its own, and names itself.
  const [window] = await other<{ label: string }[]>`
    select label from board_windows where point_system_id = ${s.pointSystemId} and label <> ''`;
  expect(await board(`weekly:${window?.label}`)).toEqual([[CAT, 10]]);
});

test("without a board, and with board=all-time, the answers are those of before", async () => {
  const s = await createSeasons();
  for (const [path, query] of [
    ["/leaderboard", {}],
    ["/leaderboard", { around: ANN }],
    ["/wallet", { address: BOB }],
  ] as const) {
    const { body } = await s.get(path, query);
    expect((await s.get(path, { ...query, board: "all-time" })).body).toEqual(body);
  }
  expect((await s.get("/wallet", { address: BOB })).body).toEqual({
    ...{ rank: 1, address: BOB, points: 930, events: 2 },
  });
});

test("a frozen season stays as it ended, whatever is credited, voided or blacklisted later", async () => {
  const s = await createSeasons();
  await s.fire({ walletAddress: CAT });
  await endBoard(s.owner, "open");
  const frozen = (await s.get("/leaderboard", { board: "season:open" })).body;
  await s.fire({ walletAddress: CAT });
  await loadFixture(
    {
      pointSystems: [
        { operator: s.operator, id: s.pointSystemId, name: "Alpha", blacklist: [{ address: BOB }] },
      ],
    },
    { getKeyring: () => keyring },
  );
  expect((await s.get("/leaderboard", { board: "season:open" })).body).toEqual(frozen);
  expect((await s.get("/wallet", { address: CAT })).body.points).toBe(20);
});

test.each([
  "yearly",
  "season:",
  "season:Spring!",
  "weekly:2026-W54",
  "daily:2026-02-30",
  "monthly:2026-13",
  "weekly:",
])("the board %s is refused as malformed", async (board) => {
  const s = await scene();
  for (const path of ["/leaderboard", "/wallet", "/points"]) {
    const { status, body } = await s.get(path, { address: ANN, board });
    expect([status, body.error, body.code]).toEqual([400, "Invalid board", "invalid_board"]);
  }
});

test("an unknown board, a window before the first and one of the future are not found", async () => {
  const s = await createSeasons();
  for (const board of ["daily", "season:none", "weekly:2019-W01", "weekly:2099-W01"]) {
    for (const path of ["/leaderboard", "/wallet", "/points"]) {
      const { status, body } = await s.get(path, { address: ANN, board });
      expect([status, body.code]).toEqual([404, "board_not_found"]);
      expect(body.error).toBe("Board not found in this point system");
    }
  }
  const { status, body } = await s.get("/wallet", { address: ANN, board: "weekly" });
  expect([status, body.code]).toEqual([404, "wallet_not_found"]);
});

test("a fixture file loads boards once, after its events", async () => {
  const operator = `${createAddress()}@example.com`;
  const file = (boards: object[]) => ({
    operators: [{ email: operator, password: "a long passphrase" }],
    pointSystems: [
      {
        ...{ operator, id: crypto.randomUUID(), name: "Alpha", boards },
        events: [{ address: ANN, points: 5, event: null, date: at(1) }],
      },
    ],
  });
  const season = { kind: "season", slug: "s1", startsAt: at(1), endsAt: at(9) };
  const loaded = file([season, { kind: "daily", timeZone: "Europe/Berlin" }]);
  await loadFixture(loaded, { getKeyring: () => keyring });
  await loadFixture(loaded, { getKeyring: () => keyring });
  const id = loaded.pointSystems[0]?.id ?? "";
  const rows = await readAtOnce(sql`
    select w.points::int as points from board_windows b join wallets w on w.point_system_id = b.id
    where b.point_system_id = ${id}`);
  expect(rows).toEqual([{ points: 5 }]);
  await expect(loadFixture(file([{ ...season, endsAt: null }]))).rejects.toThrow(
    "pointSystems[0].boards[0].endsAt: is missing",
  );
});
