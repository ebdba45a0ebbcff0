import { expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import type { Address } from "../../../app/domain/address";
import { getMember } from "../../../app/services/access/members";
import { listActivity } from "../../../app/services/activity/activity";
import { getWalletEntry } from "../../../app/services/board/wallets";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { voidById } from "../../support/events";
import { createOwner, failureOf, grant, tally } from "../../support/operators";
import { createAddress } from "../../support/scene";

const PAGE = { page: 1, limit: 50 };

async function createGrants(points: readonly number[]) {
  const owner = await createOwner();
  const address: Address = createAddress();
  for (const each of points) await grant(owner, address, each);
  const { activity } = await listActivity(owner.pointSystemId, address, PAGE);
  const idOf = (wanted: number) =>
    activity.find((event) => event.points === wanted)?.id ?? "not there";
  return { owner, address, idOf };
}

test("a voided event leaves the wallet's points, its count and the API's feed; the rest stays", async () => {
  const { owner, address, idOf } = await createGrants([10, 20, 30]);
  expect(await voidById(owner, idOf(20), "twice")).toEqual({ address, points: 20 });
  expect(await getWalletEntry(owner.pointSystemId, address)).toMatchObject({
    points: 40,
    events: 2,
  });
  for (const wallet of [address, null]) {
    const { activity, pagination } = await listActivity(owner.pointSystemId, wallet, PAGE);
    expect(activity.map(({ points }) => points)).toEqual([30, 10]);
    expect(pagination.total).toBe(2);
  }
  expect((await verifyLedger()).differences).toEqual([]);
});

test("a wallet whose only event is voided keeps its entry, with nothing", async () => {
  const { owner, address, idOf } = await createGrants([7]);
  await voidById(owner, idOf(7), null);
  expect(await getWalletEntry(owner.pointSystemId, address)).toMatchObject({
    points: 0,
    events: 0,
    rank: 1,
  });
  await grant(owner, address, 9);
  expect(await getWalletEntry(owner.pointSystemId, address)).toMatchObject({
    points: 9,
    events: 1,
  });
  expect((await verifyLedger()).differences).toEqual([]);
});

test("of any number of voids of one event at once, one takes it back", async () => {
  const { owner, address, idOf } = await createGrants([5, 6]);
  const id = idOf(5);
  const voids = Array.from({ length: 20 }, () => voidById(owner, id, null));
  expect(await tally(voids)).toEqual({ succeeded: 1, event_voided: 19 });
  expect(await getWalletEntry(owner.pointSystemId, address)).toMatchObject({
    points: 6,
    events: 1,
  });
});

test("an event of another point system and a correction are not found", async () => {
  const { owner, idOf } = await createGrants([5]);
  const other = await createOwner();
  const member = await getMember(other.actor, other.pointSystemId, "editor");
  for (const id of [idOf(5), other.pointSystemId]) {
    expect((await failureOf(voidById(member, id, null))).code).toBe("not_found");
  }
  await voidById(owner, idOf(5), null);
  const [correction] = await withDatabase((db) =>
    db.execute<{ id: string }>(
      `select id from point_events where point_system_id = '${owner.pointSystemId}' and voids is not null`,
    ),
  );
  expect((await failureOf(voidById(owner, correction?.id ?? "", null))).code).toBe("not_found");
});
