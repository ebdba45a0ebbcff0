import { expect, test } from "vitest";
import { listBoards } from "../../../app/services/board/board-list";
import { createBoard } from "../../../app/services/board/boards";
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
  const before = { label: "2027-03-03", ranks: { [first]: 1, [second]: 2 } };
  expect(await find("2027-03-05")).toEqual(before);
  await set(new Date("2027-03-06T12:00Z"));
  await grant(owner, late, 1);
  expect(await find("2027-03-06")).toEqual({
    label: "2027-03-05",
    ranks: { [late]: 1, [second]: 2 },
  });
  expect(await find("2027-03-05")).toEqual(before);
});
