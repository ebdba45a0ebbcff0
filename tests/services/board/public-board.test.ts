import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { pointSystems } from "../../../app/db/schema/point-systems";
import type { Address } from "../../../app/domain/address";
import { readEmbeddedBoard, readPublicBoard } from "../../../app/routes/public/board.server";
import { loader } from "../../../app/routes/public/leaderboard";
import type { Member } from "../../../app/services/access/members";
import { createBoard as addBoard } from "../../../app/services/board/boards";
import { findPublicStanding, getPublicBoard } from "../../../app/services/board/public-board";
import { getShareImage } from "../../../app/services/board/share-image";
import { addToBlacklist, removeFromBlacklist } from "../../../app/services/ledger/blacklist";
import { grantPoints } from "../../../app/services/ledger/grants";
import { deletePointSystem } from "../../../app/services/point-systems/point-systems";
import { createSingleFlightCache } from "../../../app/services/runtime/single-flight-cache";
import { linkWallets } from "../../../app/services/wallet-links/links";
import { addressOf } from "../../support/fixture-file";
import { codeOf, createOwner, failureOf } from "../../support/operators";
import { callPublicLoader } from "../../support/pages";

afterEach(() => {
  vi.useRealTimers();
});

/**
 * Creates a point system with a public board and this many wallets: the first has 1 point, the next
 * 2.
 */
async function createBoard(walletCount: number) {
  const owner = await createOwner("Harbour");
  const slug = `harbour-${randomBytes(6).toString("hex")}`;
  await setSlug(owner, slug);
  for (let i = 1; i <= walletCount; i += 1)
    await grantPoints(owner, { address: toWallet(i), points: i, note: null });
  return { owner, slug };
}

const toWallet = (i: number): Address => `0x${i.toString(16).padStart(40, "0")}`;

async function setSlug({ pointSystemId }: Member, slug: string): Promise<void> {
  await withDatabase((db) =>
    db.update(pointSystems).set({ slug }).where(eq(pointSystems.id, pointSystemId)),
  );
}

test("a board has its wallets, and nothing else of the point system", async () => {
  const { slug } = await createBoard(2);
  expect(await getPublicBoard(slug, 1)).toEqual({
    leaderboard: [
      { rank: 1, address: toWallet(2), points: 2, events: 1, tier: null },
      { rank: 2, address: toWallet(1), points: 1, events: 1, tier: null },
    ],
    pagination: { page: 1, limit: 50, total: 2, totalPages: 1 },
  });
});

test("without a public leaderboard, nobody reads it by the point system's id", async () => {
  const { owner } = await createBoard(1);
  const { pointSystemId } = owner;
  await withDatabase((db) =>
    db.update(pointSystems).set({ slug: null }).where(eq(pointSystems.id, pointSystemId)),
  );
  const noQuery = new URLSearchParams();
  for (const read of [
    () => getPublicBoard(pointSystemId, 1),
    () => findPublicStanding(pointSystemId, toWallet(1)),
    () => readPublicBoard(pointSystemId, noQuery),
    () => readEmbeddedBoard(pointSystemId, noQuery),
    () => getShareImage(pointSystemId),
  ])
    expect(await codeOf(read())).toBe("not_found");
});

test("every page can be reached, and the one past the end is empty", async () => {
  const { slug } = await createBoard(51);
  const second = await getPublicBoard(slug, 2);
  expect(second.leaderboard).toEqual([
    { rank: 51, address: toWallet(1), points: 1, events: 1, tier: null },
  ]);
  const third = await getPublicBoard(slug, 3);
  expect(third).toMatchObject({ leaderboard: [], pagination: { total: 51, totalPages: 2 } });
});

test("however many read deep pages of one board, those of another board are read", async () => {
  const [{ slug: crowded }, { slug }] = [await createBoard(1), await createBoard(51)];
  const crowd = Promise.allSettled(Array.from({ length: 150 }, () => getPublicBoard(crowded, 2)));
  expect((await getPublicBoard(slug, 2)).leaderboard).toHaveLength(1);
  const statuses = (await crowd).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set(["fulfilled", "rejected"]));
});

test("a blacklisted wallet reads like one that is not there, and stands in nobody's way", async () => {
  const { owner, slug } = await createBoard(3);
  expect(await findPublicStanding(slug, toWallet(3))).toMatchObject({ rank: 1, points: 3 });
  await addToBlacklist(owner, [{ address: toWallet(3), reason: "a reason" }]);
  expect(await findPublicStanding(slug, toWallet(3))).toBeNull();
  expect(await findPublicStanding(slug, addressOf("ab"))).toBeNull();
  expect(await findPublicStanding(slug, toWallet(2))).toMatchObject({ rank: 1 });
  expect((await getPublicBoard(slug, 1)).pagination.total).toBe(2);
  await removeFromBlacklist(owner, [toWallet(3)]);
  expect(await findPublicStanding(slug, toWallet(3))).toMatchObject({ rank: 1 });
});

test("without its slug there is no board: unknown, misspelt, or of a deleted point system", async () => {
  const { owner, slug } = await createBoard(1);
  await deletePointSystem(owner, "Harbour");
  for (const unknown of [slug, "nowhere", "", "HARBOUR", "a\0b", "a".repeat(1_000), "' or 1=1"]) {
    for (const read of [
      () => getPublicBoard(unknown, 1),
      () => getPublicBoard(unknown, 2),
      () => findPublicStanding(unknown, toWallet(1)),
    ]) {
      expect((await failureOf(read())).code, unknown).toBe("not_found");
    }
  }
});

test("a slug is read in any letter case: a phone's keyboard begins with a capital", async () => {
  const { slug } = await createBoard(2);
  const typed = slug.slice(0, 1).toUpperCase() + slug.slice(1);
  expect(typed).not.toBe(slug);
  expect((await getPublicBoard(typed, 1)).pagination.total).toBe(2);
  expect(await findPublicStanding(slug.toUpperCase(), toWallet(1))).toMatchObject({ points: 1 });
});

test("the first page is read once in a second, however many look at it", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  vi.advanceTimersByTime(1); // a time of 0 is none for the cache
  const { owner, slug } = await createBoard(1);
  const boards = await Promise.all(Array.from({ length: 50 }, () => getPublicBoard(slug, 1)));
  expect(new Set(boards).size).toBe(1);
  await grantPoints(owner, { address: toWallet(1), points: 10, note: null });
  vi.advanceTimersByTime(999);
  expect((await getPublicBoard(slug, 1)).leaderboard[0]?.points).toBe(1);
  vi.advanceTimersByTime(2);
  expect((await getPublicBoard(slug, 1)).leaderboard[0]?.points).toBe(11);
});

test("a cache forgets the oldest beyond its bound, and keeps no failure", async () => {
  const read = createSingleFlightCache<number>({ keepMs: 60_000, entriesMax: 2 });
  let reads = 0;
  const count = async () => {
    reads += 1;
    return reads;
  };
  expect(await read("a", count)).toBe(1);
  expect(await read("b", count)).toBe(2);
  expect(await read("a", count)).toBe(1);
  expect(await read("c", count)).toBe(3);
  expect(await read("b", count)).toBe(2);
  expect(await read("a", count)).toBe(4);
  const fail = () => Promise.reject(new Error("gone"));
  const failures = await Promise.allSettled([read("d", fail), read("d", count)]);
  expect(failures.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await read("d", count)).toBe(5);
});

test("a search for a linked wallet says that its points stand elsewhere, and not where", async () => {
  const { owner, slug } = await createBoard(2);
  const search = async (wallet: Address) =>
    (await callPublicLoader(loader, { slug }, { query: `?wallet=${wallet}` })).search;
  const [linked, primary, stranger] = [toWallet(1), toWallet(2), toWallet(3)];
  expect(await search(stranger)).toMatchObject({ standing: null, hasLinks: false });
  await linkWallets(owner, { address: linked, primaryAddress: primary });
  expect(await search(primary)).toMatchObject({ standing: { points: 3 }, hasLinks: false });
  const found = await search(linked);
  expect(found).toEqual({ ...(await search(stranger)), typed: linked, address: linked });
  expect(found.hasLinks).toBe(true);
});

test("every public season opens by its address, also one that has no tab of its own", async () => {
  const { owner, slug } = await createBoard(1);
  for (let i = 1; i <= 14; i += 1) {
    await addBoard(owner, {
      ...{ kind: "season", slug: `s${i}`, name: `Season ${i}`, timeZone: "UTC", isPublic: i > 1 },
      season: { startsAt: new Date(Date.UTC(2020, i)), endsAt: new Date(Date.UTC(2020, i + 1)) },
    });
  }
  const open = async (board: string) => {
    const { boards } = await callPublicLoader(loader, { slug }, { query: `?board=${board}` });
    return boards.map(({ title }) => title);
  };
  const newest = Array.from({ length: 12 }, (_, i) => `Season ${14 - i}`);
  expect(await open("")).toEqual(newest);
  expect(await open("season:s14")).toEqual(newest);
  expect(await open("season:s2")).toEqual([...newest, "Season 2"]);
  expect((await getPublicBoard(slug, 2, "season:s2")).pagination.total).toBe(0);
  expect((await failureOf(getPublicBoard(slug, 1, "season:s1"))).code).toBe("not_found");
});
