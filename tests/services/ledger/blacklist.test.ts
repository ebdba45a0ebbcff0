import { expect, test } from "vitest";
import type { Address } from "../../../app/domain/address";
import { parseAddress } from "../../../app/domain/address";
import { parseCursor } from "../../../app/domain/cursor";
import { listPointSystemAudit } from "../../../app/services/access/audit-log";
import type { Member } from "../../../app/services/access/members";
import { addToBlacklist, removeFromBlacklist } from "../../../app/services/ledger/blacklist";
import {
  findBlacklistEntry,
  listBlacklist,
  readWholeBlacklist,
} from "../../../app/services/ledger/blacklist-entries";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { createOwner, findOwner } from "../../support/operators";
import { createAddress, scene } from "../../support/scene";

const toWallet = (i: number): Address => `0x${i.toString(16).padStart(40, "0")}`;

/** Creates a blacklist of this length; the highest address is the newest. */
async function createBlacklist(length: number): Promise<Member<"owner">> {
  const owner = await createOwner();
  await addToBlacklist(
    owner,
    Array.from({ length }, (_, i) => ({ address: toWallet(i + 1), reason: `reason ${i + 1}` })),
  );
  return owner;
}

test("addresses added at once leave the board and earn nothing; wallets without points too", async () => {
  const addresses = Array.from({ length: 30 }, createAddress);
  const s = await scene({ events: addresses.map((address) => ({ address, points: 5 })) });
  const owner = await findOwner(s.pointSystemId);
  const added = [...addresses.slice(0, 20), createAddress()];
  expect(
    await addToBlacklist(
      owner,
      added.map((address) => ({ address, reason: "farm" })),
    ),
  ).toBe(21);
  expect((await s.get("/leaderboard")).body.pagination.total).toBe(10);
  for (const walletAddress of [added[0], added[20]]) {
    expect((await s.fire({ walletAddress })).status).toBe(403);
  }
  expect((await verifyLedger()).differences).toEqual([]);
});

test("an address that is there already keeps its reason and date, and is not counted", async () => {
  const owner = await createOwner();
  const [old, fresh] = [createAddress(), createAddress()];
  await addToBlacklist(owner, [{ address: old, reason: "first" }]);
  const before = await findBlacklistEntry(owner, old);
  const again = [old, fresh].map((address) => ({ address, reason: "second" }));
  expect(await addToBlacklist(owner, again)).toBe(1);
  expect(await findBlacklistEntry(owner, old)).toEqual(before);
  expect((await findBlacklistEntry(owner, fresh))?.reason).toBe("second");
});

test("removed addresses are back with the points that they had; others are not counted", async () => {
  const addresses = Array.from({ length: 4 }, createAddress);
  const s = await scene({
    events: addresses.map((address) => ({ address, points: 5 })),
    blacklist: addresses.map((address) => ({ address })),
  });
  const owner = await findOwner(s.pointSystemId);
  expect(await removeFromBlacklist(owner, [...addresses.slice(0, 3), createAddress()])).toBe(3);
  const { body } = await s.get("/leaderboard");
  expect(body.leaderboard.map((row: { points: number }) => row.points)).toEqual([5, 5, 5]);
  expect((await verifyLedger()).differences).toEqual([]);
});

test("changes of many addresses that meet keep the totals true", async () => {
  const addresses = Array.from({ length: 40 }, createAddress);
  const s = await scene({ events: addresses.map((address) => ({ address, points: 5 })) });
  const owner = await findOwner(s.pointSystemId);
  await Promise.all(
    Array.from({ length: 12 }, (_, i) => {
      const some = addresses.slice(i, i + 20);
      return i % 3 === 2
        ? removeFromBlacklist(owner, some)
        : addToBlacklist(
            owner,
            some.map((address) => ({ address, reason: null })),
          );
    }),
  );
  expect((await verifyLedger()).differences).toEqual([]);
});

test("10,000 addresses are added by one change, with one entry in the audit log", async () => {
  const owner = await createBlacklist(10_000);
  const { entries } = await listPointSystemAudit(owner, {
    action: null,
    actor: null,
    beforeId: null,
  });
  expect(entries).toHaveLength(1);
  expect(entries[0]).toMatchObject({
    action: "blacklist.add",
    subject: "10000 addresses",
    after: { reason: "10000 reasons" },
  });
  expect(entries[0]?.after?.addresses).toHaveLength(20);
  let exported = 0;
  for await (const _entry of readWholeBlacklist(owner)) exported += 1;
  expect(exported).toBe(10_000);
});

test("a change that changes nothing is not in the audit log", async () => {
  const owner = await createOwner();
  expect(await removeFromBlacklist(owner, [createAddress()])).toBe(0);
  expect(await addToBlacklist(owner, [])).toBe(0);
  const filter = { action: null, actor: null, beforeId: null };
  expect((await listPointSystemAudit(owner, filter)).entries).toEqual([]);
});

test("the list goes on to older entries and back, each entry once, newest first", async () => {
  const owner = await createBlacklist(120);
  const pages: string[][] = [];
  let page = await listBlacklist(owner, null);
  expect(page.newer).toBeNull();
  for (;;) {
    pages.push(page.rows.map(({ address }) => address));
    if (page.older === null) break;
    page = await listBlacklist(owner, parseCursor(page.older, "older", parseAddress));
  }
  expect(pages.map(({ length }) => length)).toEqual([50, 50, 20]);
  expect(pages.flat()).toEqual(Array.from({ length: 120 }, (_, i) => toWallet(120 - i)));
  for (const expected of [pages[1], pages[0]]) {
    page = await listBlacklist(owner, parseCursor(page.newer ?? "", "newer", parseAddress));
    expect(page.rows.map(({ address }) => address)).toEqual(expected);
  }
  expect(page.newer).toBeNull();
});

test("an entry has the points of its wallet; another point system's are not in the list", async () => {
  const address = createAddress();
  const s = await scene({ events: [{ address, points: 7 }], blacklist: [{ address }] });
  const owner = await findOwner(s.pointSystemId);
  expect((await listBlacklist(owner, null)).rows).toMatchObject([{ address, points: 7 }]);
  const other = await createOwner();
  await addToBlacklist(other, [{ address, reason: null }]);
  expect((await listBlacklist(other, null)).rows).toMatchObject([{ address, points: 0 }]);
  await removeFromBlacklist(other, [address]);
  expect(await findBlacklistEntry(owner, address)).not.toBeNull();
  expect(await findBlacklistEntry(other, address)).toBeNull();
});
