import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Address } from "../../../app/domain/address";
import { Failure } from "../../../app/domain/failure";
import { fillBoard, queueAbandonedFills } from "../../../app/services/board/board-fill";
import { createBoard, endBoard, updateBoard } from "../../../app/services/board/boards";
import { closeEndedBoards } from "../../../app/services/board/ended-boards";
import { foldRanks } from "../../../app/services/board/rank-counts";
import { loadFixture } from "../../../app/services/fixture/load-fixture";
import { foldProgram } from "../../../app/services/insights/program-fold";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { voidEvent } from "../../../app/services/ledger/voids";
import { linkWallets } from "../../../app/services/wallet-links/links";
import { atDepth } from "../../support/depth";
import { takeClock } from "../../support/moved-clock";
import { findOwner } from "../../support/operators";
import { expectExactNow } from "../../support/ranked-board";
import { createAddress, scene } from "../../support/scene";
import { other } from "../../support/test-database";

const clock = takeClock();
/** A Wednesday. */
const NOW = new Date("2026-09-16T12:00:00Z");
const NEXT_WEEK = new Date("2026-09-22T12:00:00Z");
async function createWorld() {
  const { set } = await clock;
  await set(NOW);
  const s = await scene();
  const { pointSystemId, operator } = s;
  const owner = await findOwner(pointSystemId);
  const shared = { timeZone: "UTC", isPublic: true };
  await createBoard(owner, {
    ...shared,
    ...{ kind: "weekly", slug: null, name: "Week", season: null },
  });
  await createBoard(owner, {
    ...shared,
    ...{ kind: "season", slug: "one", name: "One" },
    season: { startsAt: new Date("2026-09-01"), endsAt: new Date("2026-09-26") },
  });
  /** Lets the process learn the time: the first call after a jump ahead is taken for a late one. */
  const learnTime = () => s.fire({ walletAddress: createAddress() }).catch(() => {});
  return {
    ...{ ...s, owner },
    /** Sets the present time. */
    async setTime(time: Date) {
      await set(time);
      await learnTime();
    },
    set,
    learnTime,
    load: (events: { address: Address; points: number; date: Date }[]) =>
      loadFixture({
        pointSystems: [
          {
            ...{ operator, id: pointSystemId, name: "Alpha" },
            events: events.map(({ date, ...event }) => ({
              ...{ ...event, id: randomUUID(), event: null },
              date: date.toISOString(),
            })),
          },
        ],
      }),
    endSeasonAt: (endsAt: Date) =>
      updateBoard(owner, "one", {
        ...{ name: "One", isPublic: true },
        season: { startsAt: new Date("2026-09-01"), endsAt },
      }),
    readPoints: async (address: Address, board?: string) =>
      (await s.get("/wallet", { address, ...(board && { board }) })).body.points,
  };
}

/** A day of the same month. */
const toDate = (day: number) => new Date(Date.UTC(2026, 8, day));

const expectFailure = (error: unknown) => expect(error).toBeInstanceOf(Failure);

const differencesOf = async (id: string) =>
  (await verifyLedger()).differences.filter(({ pointSystemId }) => pointSystemId === id);

test("an event of the future counts on the all-time board at once and ends no board's present window", async () => {
  const { pointSystemId, load, fire, readPoints } = await createWorld();
  const [wallet, early, late] = [createAddress(), createAddress(), createAddress()];
  await fire({ walletAddress: wallet });
  await load([
    { address: early, points: 3, date: new Date("2026-09-15") },
    { address: late, points: 7, date: new Date("2026-11-22") },
  ]);
  await fire({ walletAddress: wallet });
  for (const board of [undefined, "weekly", "season:one"]) {
    expect(await readPoints(wallet, board)).toBe(20);
    expect(await readPoints(early, board)).toBe(3);
  }
  expect(await readPoints(late)).toBe(7);
  expect(await readPoints(late, "weekly")).toBeUndefined();
  expect(await readPoints(late, "season:one")).toBeUndefined();
  expect(await differencesOf(pointSystemId)).toEqual([]);
});

test("a week that opens counts the events that a file had dated into it, whoever opens it", async () => {
  for (const opens of ["a credit", "the job"]) {
    const { pointSystemId, set, learnTime, load, fire, readPoints } = await createWorld();
    const [wallet, late] = [createAddress(), createAddress()];
    await load([{ address: late, points: 7, date: NEXT_WEEK }]);
    expect(await readPoints(late, "weekly")).toBeUndefined();
    await set(NEXT_WEEK);
    if (opens === "the job") await closeEndedBoards();
    await learnTime();
    await fire({ walletAddress: wallet });
    await fire({ walletAddress: late });
    expect(await readPoints(wallet, "weekly")).toBe(10);
    expect(await readPoints(late, "weekly")).toBe(17);
    const [window] = await other<{ id: string }[]>`
      select id from board_windows where point_system_id = ${pointSystemId} and label = '2026-W39'`;
    await expectExactNow(window?.id ?? "");
    while ((await foldRanks(pointSystemId)) > 0);
    await expectExactNow(window?.id ?? "");
    expect(await differencesOf(pointSystemId)).toEqual([]);
  }
});

test("a week into which a file had dated too many events for a credit is filled by a job", async () => {
  const { pointSystemId, setTime, load, fire, get, readPoints } = await createWorld();
  const [wallet, late] = [createAddress(), createAddress()];
  await load(Array.from({ length: 10_001 }, () => ({ address: late, points: 1, date: NEXT_WEEK })));
  await setTime(NEXT_WEEK);
  await fire({ walletAddress: wallet });
  expect((await get("/leaderboard", { board: "weekly" })).status).toBe(503);
  await queueAbandonedFills();
  const jobs = await other<{ data: { pointSystemId: string; windowId: string } }[]>`
    select data from jobs where queue = 'fill-board' and data->>'pointSystemId' = ${pointSystemId}`;
  for (const { data } of jobs) await fillBoard(data, new AbortController().signal);
  expect(await readPoints(wallet, "weekly")).toBe(10);
  expect(await readPoints(late, "weekly")).toBe(10_001);
  expect(await differencesOf(pointSystemId)).toEqual([]);
});

test("a board whose end moves over events that a file had dated ahead counts those of its new time", async () => {
  const { pointSystemId, owner, load, fire, wallet, readPoints, endSeasonAt } = await createWorld();
  const [soon, later] = [createAddress(), createAddress()];
  await fire({});
  await load([
    { address: wallet, points: 1, date: new Date("2026-09-18") },
    { address: soon, points: 3, date: new Date("2026-09-18") },
    { address: later, points: 7, date: new Date("2026-09-30") },
  ]);
  const expectPoints = async (board: string, points: readonly (number | undefined)[]) => {
    const found = [wallet, soon, later].map((address) => readPoints(address, board));
    expect(await Promise.all(found)).toEqual(points);
    expect(await differencesOf(pointSystemId)).toEqual([]);
    while ((await foldRanks(pointSystemId)) > 0);
    const windows = await other<{ id: string; isRight: boolean }[]>`
      select w.id, coalesce(t.points = (select sum(points) from wallets where point_system_id = w.id), true) as "isRight"
      from board_windows w left join season_totals t on t.point_system_id = w.id
      where w.point_system_id = ${pointSystemId}`;
    for (const { id, isRight } of windows) {
      await expectExactNow(id);
      expect(isRight).toBe(true);
    }
  };
  await foldProgram(pointSystemId, 1_000);
  await expectPoints("season:one", [11, 3, undefined]);
  await endSeasonAt(new Date("2026-10-01"));
  await expectPoints("season:one", [11, 3, 7]);
  await endSeasonAt(toDate(17));
  await expectPoints("season:one", [10, undefined, undefined]);
  await expectPoints("weekly", [11, 3, undefined]);
  await endBoard(owner, ":weekly");
  await expectPoints("weekly", [10, undefined, undefined]);
  await foldProgram(pointSystemId, 1_000);
  await expectPoints("season:one", [10, undefined, undefined]);
});

test("whatever a file had dated ahead, and however it was voided or moved to a linked wallet, a season has the points of its times", async () => {
  const day = fc.integer({ min: 10, max: 30 });
  const wallet = fc.integer({ min: 0, max: 3 });
  const step = fc.oneof(
    fc.record({ kind: fc.constant("load"), wallet, day }),
    fc.record({ kind: fc.constant("void"), wallet, day }),
    fc.record({ kind: fc.constant("link"), wallet, day: wallet }),
    fc.record({ kind: fc.constant("end"), wallet, day: fc.integer({ min: 17, max: 30 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async (steps) => {
      const { pointSystemId, owner, load, endSeasonAt } = await createWorld();
      const wallets = Array.from({ length: 4 }, () => createAddress());
      await load(
        wallets.map((address, n) => ({ address, points: n + 1, date: toDate(12 + 3 * n) })),
      );
      for (const { kind, wallet: n, day: number } of steps) {
        const address = wallets[n] as Address;
        if (kind === "load") await load([{ address, points: 7, date: toDate(number) }]);
        else if (kind === "end") await endSeasonAt(toDate(number));
        else if (kind === "link") {
          const primaryAddress = wallets[number] as Address;
          await linkWallets(owner, { address, primaryAddress }).catch(expectFailure);
        } else {
          const [event] = await other<{ id: string; date: Date }[]>`
            select id, created_at as date from point_events
            where point_system_id = ${pointSystemId} and voids is null and moved_events is null
              and created_at >= ${toDate(number)} order by created_at, id limit 1`;
          if (event) await voidEvent(owner, event, null).catch(expectFailure);
        }
        expect(await differencesOf(pointSystemId)).toEqual([]);
      }
    }),
    { numRuns: atDepth(5, 60) },
  );
}, 300_000);
