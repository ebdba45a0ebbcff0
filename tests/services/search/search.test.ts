import { expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { triggers } from "../../../app/db/schema/point-systems";
import type { Address } from "../../../app/domain/address";
import { grantPoints } from "../../../app/services/ledger/grants";
import { searchPointSystem } from "../../../app/services/search/search";
import { createOwner } from "../../support/operators";

const toWallet = (prefix: string): Address => `0x${prefix.padEnd(40, "0")}`;

test("a few digits find the wallets that begin with them, in the member's point system only", async () => {
  const [owner, other] = [await createOwner(), await createOwner()];
  for (const prefix of ["1a2", "1a2b", "1a2bff", "1a3"]) {
    await grantPoints(owner, { address: toWallet(prefix), points: 7, note: null });
  }
  await grantPoints(other, { address: toWallet("1a2c"), points: 7, note: null });
  const find = async (text: string) =>
    (await searchPointSystem(owner, text)).wallets.map(({ address }) => address);
  expect(await find("0x1A2")).toEqual([toWallet("1a2"), toWallet("1a2b"), toWallet("1a2bff")]);
  expect(await find("0x1a2b")).toEqual([toWallet("1a2b"), toWallet("1a2bff")]);
  expect(await find(toWallet("1a3"))).toEqual([toWallet("1a3")]);
  for (const none of ["0x1a", "1a2b", "0x1a2g", "0x9999", `${toWallet("1a2")}0`]) {
    expect(await find(none), none).toEqual([]);
  }
});

test("at most five wallets are found", async () => {
  const owner = await createOwner();
  for (let i = 0; i < 7; i += 1)
    await grantPoints(owner, { address: toWallet(`abc${i}`), points: 1, note: null });
  const { wallets } = await searchPointSystem(owner, "0xabc");
  expect(wallets.map(({ address }) => address)).toEqual(
    [0, 1, 2, 3, 4].map((i) => toWallet(`abc${i}`)),
  );
});

test("triggers are found by a part of their name or key; pattern characters mean themselves", async () => {
  const [owner, other] = [await createOwner(), await createOwner()];
  await withDatabase((db) =>
    db.insert(triggers).values(
      [owner, other].flatMap(({ pointSystemId }) => [
        { pointSystemId, key: "daily_login", name: "Every day", points: 1 },
        { pointSystemId, key: "bonus", name: "100% off", points: 1 },
      ]),
    ),
  );
  const find = async (text: string) =>
    (await searchPointSystem(owner, text)).triggers.map(({ key }) => key);
  expect(await find("EVERY")).toEqual(["daily_login"]);
  expect(await find("y_l")).toEqual(["daily_login"]);
  expect(await find("0%")).toEqual(["bonus"]);
  expect(await find("%%")).toEqual([]);
  expect(await find("__")).toEqual([]);
});
