import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createAddress, scene } from "../support/scene";

const address = (digit: string) => `0x${digit.repeat(40)}`;

test("ranks by points, then by the lower address; every wallet has a position of its own", async () => {
  const { get } = await scene({
    events: [
      { address: address("c"), points: 30 },
      { address: address("b"), points: 30 },
      { address: address("a"), points: 10 },
      { address: address("d"), points: 40 },
    ],
    wallets: [address("0")],
  });
  const { body } = await get("/leaderboard");
  expect(body).toEqual({
    leaderboard: [
      { rank: 1, address: address("d"), points: 40, events: 1 },
      { rank: 2, address: address("b"), points: 30, events: 1 },
      { rank: 3, address: address("c"), points: 30, events: 1 },
      { rank: 4, address: address("a"), points: 10, events: 1 },
      { rank: 5, address: address("0"), points: 0, events: 0 },
    ],
    pagination: { page: 1, limit: 50, total: 5, totalPages: 1 },
  });
});

test("pages go on with the global rank; a page past the end is empty with true totals", async () => {
  const events = Array.from({ length: 7 }, (_, i) => ({
    address: createAddress(),
    points: 100 - i,
  }));
  const { get } = await scene({ events });
  const second = (await get("/leaderboard", { page: "2", limit: "3" })).body;
  expect(second.leaderboard.map((entry: { rank: number }) => entry.rank)).toEqual([4, 5, 6]);
  expect(second.leaderboard[0].address).toBe(events[3]?.address);
  expect(second.pagination).toEqual({ page: 2, limit: 3, total: 7, totalPages: 3 });
  for (const page of ["4", "9007199254740991"]) {
    const past = await get("/leaderboard", { page, limit: "3" });
    expect(past).toMatchObject({
      status: 200,
      body: { leaderboard: [], pagination: { page: Number(page), total: 7, totalPages: 3 } },
    });
  }
});

test("leaves blacklisted wallets out, of the total too", async () => {
  const { get } = await scene({
    events: [
      { address: address("a"), points: 30 },
      { address: address("b"), points: 20 },
    ],
    blacklist: [{ address: address("a") }, { address: address("f") }],
  });
  expect((await get("/leaderboard")).body).toEqual({
    leaderboard: [{ rank: 1, address: address("b"), points: 20, events: 1 }],
    pagination: { page: 1, limit: 50, total: 1, totalPages: 1 },
  });
});

describe("around a wallet", () => {
  const events = Array.from({ length: 7 }, (_, i) => ({
    address: address(`${i}`),
    points: 100 - i,
  }));

  test("answers the page that holds it, whatever page is asked for besides", async () => {
    const { get } = await scene({ events });
    for (const [i, { address }] of events.entries()) {
      const page = String(Math.floor(i / 3) + 1);
      const expected = (await get("/leaderboard", { page, limit: "3" })).body;
      expect(expected.leaderboard[i % 3].address).toBe(address);
      for (const query of [{}, { page: "1" }, { page: "9" }]) {
        const around = await get("/leaderboard", { around: address, limit: "3", ...query });
        expect(around).toMatchObject({ status: 200, body: expected });
      }
    }
  });

  test("takes any letter case", async () => {
    const { get } = await scene({ events: [{ address: address("a"), points: 1 }] });
    const around = `0x${"A".repeat(40)}`;
    expect((await get("/leaderboard", { around })).body.leaderboard[0].rank).toBe(1);
  });

  test("shows a credit that was just answered", async () => {
    const { get, fire } = await scene({ events, trigger: { points: 1_000 } });
    await fire({ walletAddress: address("6") });
    const { body } = await get("/leaderboard", { around: address("6"), limit: "2" });
    expect(body.pagination.page).toBe(1);
    expect(body.leaderboard[0]).toMatchObject({ rank: 1, address: address("6"), points: 1_094 });
  });

  test("of a wallet that is on no page answers 404 as GET /wallet does", async () => {
    const { get } = await scene({ events, blacklist: [{ address: address("3") }] });
    for (const around of [address("f"), address("3")]) {
      expect(await get("/leaderboard", { around })).toMatchObject({
        status: 404,
        body: { error: "Wallet not found in this point system" },
      });
    }
  });

  test("of what is no address answers 400, and so does a bad page beside it", async () => {
    const { get } = await scene({ events });
    for (const around of ["0x12", "alice.eth", `${address("a")}0`]) {
      expect(await get("/leaderboard", { around })).toMatchObject({
        status: 400,
        body: { error: "Invalid address" },
      });
    }
    expect((await get("/leaderboard", { around: address("0"), page: "x" })).body.error).toBe(
      "Invalid page",
    );
  });
});

test("of a point system without wallets is empty", async () => {
  const { get } = await scene();
  expect((await get("/leaderboard")).body).toEqual({
    leaderboard: [],
    pagination: { page: 1, limit: 50, total: 0, totalPages: 0 },
  });
});

describe("page and limit", () => {
  test("a limit over 200 is taken as 200 and echoed so", async () => {
    const { get } = await scene();
    for (const limit of ["200", "201", "100000"]) {
      expect((await get("/leaderboard", { limit })).body.pagination.limit).toBe(200);
    }
  });

  const BAD = ["0", "-1", "1.5", "1e3", "abc", " ", " 1", "+1", "0x10", "9007199254740992", "١"];
  test.each(["page", "limit"])("a bad %s answers 400", async (name) => {
    const { get } = await scene();
    for (const path of ["/leaderboard", "/activity"]) {
      for (const value of BAD) {
        expect(await get(path, { [name]: value })).toMatchObject({
          status: 400,
          body: { error: `Invalid ${name}` },
        });
      }
    }
  });

  test("address, page, limit and the others are optional: a blank one is an absent one", async () => {
    const { get, fire, wallet } = await scene();
    await fire();
    const blank = { page: "", limit: "" };
    for (const [path, query] of [
      ["/leaderboard", { ...blank, around: "" }],
      ["/activity", { ...blank, address: "", include: "" }],
      ["/rewards", { address: "" }],
    ] as const) {
      const answer = await get(path, query);
      expect(answer).toMatchObject({ status: 200 });
      expect(answer.body).toEqual((await get(path)).body);
    }
    expect((await get("/wallet", { address: "" })).body.error).toBe(
      "Missing required parameter: address",
    );
    expect((await get("/wallet", { address: wallet, pointSystemId: "" })).body.error).toBe(
      "Missing required parameter: pointSystemId",
    );
  });

  test("a bad page is reported before a bad limit", async () => {
    const { get } = await scene();
    expect((await get("/leaderboard", { limit: "x", page: "x" })).body.error).toBe("Invalid page");
  });
});

test("any board equals the sort of its wallets, page by page, and every /wallet agrees", async () => {
  // Few addresses and few totals give many ties.
  const wallet = fc.integer({ min: 0, max: 15 }).map((n) => address(n.toString(16)));
  const history = fc.array(fc.record({ address: wallet, points: fc.constantFrom(1, 2, 5) }), {
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(
      history,
      fc.uniqueArray(wallet, { maxLength: 4 }),
      fc.integer({ min: 1, max: 7 }),
      async (events, banned, limit) => {
        const { get } = await scene({ events, blacklist: banned.map((b) => ({ address: b })) });
        const points = new Map<string, number>();
        for (const event of events) {
          points.set(event.address, (points.get(event.address) ?? 0) + event.points);
        }
        const board = [...points]
          .filter(([wallet]) => !banned.includes(wallet))
          .sort(([a, p], [b, q]) => q - p || (a < b ? -1 : 1));
        const listed: string[] = [];
        for (let page = 1; listed.length < board.length; page += 1) {
          const { body } = await get("/leaderboard", { page: String(page), limit: String(limit) });
          expect(body.pagination.total).toBe(board.length);
          expect(body.leaderboard.length).toBeGreaterThan(0);
          for (const entry of body.leaderboard) {
            listed.push(entry.address);
            expect(entry.rank).toBe(listed.length);
            expect((await get("/wallet", { address: entry.address })).body).toEqual(entry);
          }
        }
        expect(listed).toEqual(board.map(([wallet]) => wallet));
      },
    ),
    { numRuns: 15 },
  );
});
