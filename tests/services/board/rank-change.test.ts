import { expect, test } from "vitest";
import { listBoards } from "../../../app/services/board/board-list";
import { createBoard } from "../../../app/services/board/boards";
import {
  findRanksAWeekAgo,
  KEPT_WALLETS_MAX,
  keepBoardDays,
} from "../../../app/services/board/kept-ranks";
import { findRanksBefore } from "../../../app/services/board/rank-change";
import { addToBlacklist } from "../../../app/services/ledger/blacklist";
import { takeClock } from "../../support/moved-clock";
import { createOwner, grant } from "../../support/operators";
import { createAddress } from "../../support/scene";

const clock = takeClock();

test("a board that repeats tells the ranks that wallets had at the end of the window before", async () => {
  const { set } = await clock;
  await set(new Date("2027-03-03T12:00Z"));
  const owner = await createOwner();
  const { pointSystemId } = owner;
  const shared = { name: "Daily", timeZone: "UTC", isPublic: true, season: null };
  await createBoard(owner, { kind: "daily", slug: null, ...shared });
  const [id = ""] = (await listBoards(pointSystemId)).map((board) => board.id);
  const [first, second] = [createAddress(), createAddress()];
  const [banned, late] = [createAddress(), createAddress()];
  await addToBlacklist(owner, [{ address: banned, reason: null }]);
  await grant(owner, first, 9);
  await grant(owner, second, 5);
  const find = (label: string) =>
    findRanksBefore(pointSystemId, id, label, [late, second, first, banned]);
  expect(await find("2027-03-03")).toBeNull();
  // Nobody earns points on the day between.
  await set(new Date("2027-03-05T12:00Z"));
  await grant(owner, second, 7);
  await grant(owner, late, 20);
  const before = { label: "2027-03-03", ranks: { [first]: 1, [second]: 2 }, isComplete: true };
  expect(await find("2027-03-05")).toEqual(before);
  await set(new Date("2027-03-06T12:00Z"));
  await grant(owner, late, 1);
  expect(await find("2027-03-06")).toEqual({
    label: "2027-03-05",
    ranks: { [late]: 1, [second]: 2 },
    isComplete: true,
  });
  expect(await find("2027-03-05")).toEqual(before);
});

test("the all-time board tells the ranks of a week ago, as far as they were kept", async () => {
  const { set, sql } = await clock;
  const owner = await createOwner();
  const { pointSystemId } = owner;
  const [first, second, late] = [createAddress(), createAddress(), createAddress()];
  const keepAt = async (day: string) => {
    await set(new Date(`${day}T00:01Z`));
    await keepBoardDays((error) => {
      throw error;
    });
  };
  const find = () => findRanksAWeekAgo(pointSystemId, [late, second, first]);
  const listDays = async () =>
    (
      await sql<{ day: string }[]>`
        select day::text from board_days where point_system_id = ${pointSystemId} order by day`
    ).map(({ day }) => day);
  await set(new Date("2027-05-01T12:00Z"));
  await grant(owner, first, 9);
  await grant(owner, second, 5);
  await keepAt("2027-05-02");
  await grant(owner, second, 50);
  // Once a day: the second run finds nothing to do.
  await keepAt("2027-05-02");
  await keepAt("2027-05-04");
  await grant(owner, late, 500);
  expect(await find()).toBeNull();
  await keepAt("2027-05-09");
  expect(await find()).toEqual({
    label: "2027-05-02",
    ranks: { [first]: 1, [second]: 2 },
    isComplete: true,
  });
  await keepAt("2027-05-11");
  expect(await listDays()).toEqual(["2027-05-04", "2027-05-09", "2027-05-11"]);
  expect((await find())?.ranks).toEqual({ [second]: 1, [first]: 2 });
});

test("a wallet behind the first 1,000 of then has no known rank", async () => {
  const { set, sql } = await clock;
  const { pointSystemId } = await createOwner();
  const addresses = Array.from({ length: KEPT_WALLETS_MAX }, createAddress);
  const [present = createAddress()] = addresses;
  const kept = Buffer.from(addresses.map((address) => address.slice(2)).join(""), "hex");
  await set(new Date("2027-07-10T12:00Z"));
  await sql`insert into board_days values (${pointSystemId}, '2027-07-03', ${kept})`;
  const behind = createAddress();
  expect(await findRanksAWeekAgo(pointSystemId, [behind, present])).toEqual({
    label: "2027-07-03",
    ranks: { [present]: 1 },
    isComplete: false,
  });
  expect(await findRanksAWeekAgo(pointSystemId, [behind])).toBeNull();
});
