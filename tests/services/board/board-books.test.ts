import { expect, test } from "vitest";
import type { Address } from "../../../app/domain/address";
import type { Member } from "../../../app/services/access/members";
import { rebuildBooks } from "../../../app/services/board/board-books";
import { createBoard } from "../../../app/services/board/boards";
import { rebuildRanks } from "../../../app/services/board/rank-counts";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { linkWallets } from "../../../app/services/wallet-links/links";
import { record, voidById } from "../../support/events";
import { createOwner, grant } from "../../support/operators";
import { expectExactNow } from "../../support/ranked-board";
import { createAddress } from "../../support/scene";
import { other } from "../../support/test-database";

const SEASON = { startsAt: new Date("2020-01-01"), endsAt: new Date("2100-01-01") };

/** Creates a point system with an open season, in which wallets have five points each. */
async function createSeason(addresses: readonly Address[]) {
  const owner = await createOwner();
  const { pointSystemId } = owner;
  const board = { kind: "season", slug: "one", name: "One", timeZone: "UTC" } as const;
  await createBoard(owner, { ...board, isPublic: true, season: SEASON });
  const [window] = await other<{ id: string }[]>`
    select id from board_windows where point_system_id = ${pointSystemId}`;
  const event = { points: 5, event: "login", date: new Date("2026-03-28") };
  const ids = await record(
    pointSystemId,
    addresses.map((address) => ({ ...event, address })),
  );
  const windowId = window?.id ?? "";
  await rebuildRanks(windowId);
  return { owner, windowId, ids };
}

const falsify = (windowId: string) =>
  other`update wallets set points = points + 2, events = events + 1 where point_system_id = ${windowId}`;

const toBytes = (address: Address) => Buffer.from(address.slice(2), "hex");

async function expectRight({ pointSystemId }: Member, windowId: string): Promise<void> {
  const { differences } = await verifyLedger();
  expect(differences.filter((each) => each.pointSystemId === pointSystemId)).toEqual([]);
  await expectExactNow(windowId);
}

/** Waits until so many wait for a lock. */
const untilWaiting = (count: number) =>
  expect
    .poll(
      () => other`
        select from pg_locks
        where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`,
      { interval: 5 },
    )
    .toHaveLength(count);

/** Runs work while another transaction holds the ledger, up to the moment at which so many wait for it. */
async function holdLedger(
  pointSystemId: string,
  begun: readonly (() => Promise<unknown>)[],
): Promise<PromiseSettledResult<unknown>[]> {
  const works: Promise<unknown>[] = [];
  await other.begin(async (tx) => {
    await tx`select lock_ledger(${pointSystemId}::uuid)`;
    for (const begin of begun) {
      works.push(begin());
      await untilWaiting(works.length);
    }
  });
  return Promise.allSettled(works);
}

test("credits wait for a thousand wallets of a season that are righted, and never for the comparison of all", async () => {
  const wallets = Array.from({ length: 2_500 }, createAddress);
  const { owner, windowId } = await createSeason(wallets);
  const { pointSystemId } = owner;
  await falsify(windowId);
  await other`alter function list_window_differences(uuid) rename to compare_window`;
  await other.unsafe(`
    create function list_window_differences(window_id uuid)
    returns table (address bytea, stored_points bigint, stored_events bigint, true_points bigint, true_events bigint)
    language plpgsql stable as $$
    begin
      if exists (
        select from pg_locks where pid = pg_backend_pid() and locktype = 'advisory' and objsubid = 1
          and (classid::bigint << 32) | objid::bigint = hashtextextended('ledger:${pointSystemId}', 0)
      ) then raise exception 'credits wait'; end if;
      return query select * from compare_window(window_id);
    end $$`);
  try {
    expect(await rebuildBooks(pointSystemId)).toBe(true);
  } finally {
    await other`drop function list_window_differences(uuid)`;
    await other`alter function compare_window(uuid) rename to list_window_differences`;
  }
  const steps = await other<{ wallets: number }[]>`
    select count(*)::int as wallets from wallets where point_system_id = ${windowId} group by xmin::text order by 1`;
  expect(steps.map((step) => step.wallets)).toEqual([500, 1_000, 1_000]);
  await expectRight(owner, windowId);
});

test("what is credited, voided or moved between the comparison of a season and its righting counts once", async () => {
  const [linked, primary, missing, voided, emptied] = Array.from({ length: 5 }, createAddress) as [
    Address,
    Address,
    Address,
    Address,
    Address,
  ];
  const changes: ((owner: Member<"owner">, ids: string[]) => Promise<unknown>)[] = [
    (owner) => linkWallets(owner, { address: linked, primaryAddress: primary }),
    (owner) => linkWallets(owner, { address: missing, primaryAddress: primary }),
    (owner) => linkWallets(owner, { address: primary, primaryAddress: createAddress() }),
    (owner) => grant(owner, missing, 7),
    (owner, ids) => voidById(owner, ids[3] ?? ""),
    (owner) => grant(owner, emptied, 7),
  ];
  for (const change of changes) {
    const { owner, windowId, ids } = await createSeason([linked, primary, missing, voided]);
    const { pointSystemId } = owner;
    await falsify(windowId);
    await other`
      delete from wallets where point_system_id = ${windowId} and address = ${toBytes(missing)}`;
    await other`
      insert into wallets (point_system_id, address, points, events) values
        (${windowId}, ${toBytes(emptied)}, 0, 0), (${windowId}, ${toBytes(createAddress())}, 3, 1)`;
    const outcomes = await holdLedger(pointSystemId, [
      () => change(owner, ids),
      () => rebuildBooks(pointSystemId),
    ]);
    expect(outcomes).toMatchObject([{ status: "fulfilled" }, { value: true }]);
    await expectRight(owner, windowId);
  }
});

test("two processes that rebuild a season at once do not both add what its wallets lack, and one says so", async () => {
  const { owner, windowId } = await createSeason(Array.from({ length: 20 }, createAddress));
  const { pointSystemId } = owner;
  await falsify(windowId);
  const first = other.begin(async (tx) => {
    await tx`select lock_ledger(${pointSystemId}::uuid)`;
    const righting = rebuildBooks(pointSystemId);
    await untilWaiting(1);
    expect(await rebuildBooks(pointSystemId)).toBe(false);
    return { righting };
  });
  expect(await (await first).righting).toBe(true);
  await expectRight(owner, windowId);
});

test("a rebuild of a point system that is deleted meanwhile ends, and says that it is not done", async () => {
  const { owner, windowId } = await createSeason([createAddress()]);
  const { pointSystemId } = owner;
  await falsify(windowId);
  const righting = await other.begin(async (tx) => {
    await tx`select lock_ledger(${pointSystemId}::uuid)`;
    const begun = rebuildBooks(pointSystemId);
    await untilWaiting(1);
    await tx`update point_systems set deleted_at = now() where id = ${pointSystemId}`;
    return { begun };
  });
  expect(await righting.begun).toBe(false);
});

test("a rebuild says that another one makes the counts of a season, and leaves them right", async () => {
  const { owner, windowId } = await createSeason(Array.from({ length: 20 }, createAddress));
  await falsify(windowId);
  await rebuildRanks(windowId);
  await other.begin(async (tx) => {
    await tx`select lock_ranks(${windowId}::uuid)`;
    expect(await rebuildBooks(owner.pointSystemId)).toBe(false);
  });
  await expectRight(owner, windowId);
  expect(await rebuildBooks(owner.pointSystemId)).toBe(true);
  await expectRight(owner, windowId);
});

test("the wallets of a season of which events are archived stay as they are", async () => {
  const { owner, windowId } = await createSeason([createAddress()]);
  await falsify(windowId);
  await other`
    update point_system_totals set archived_before = '2020-01-02' where point_system_id = ${owner.pointSystemId}`;
  expect(await rebuildBooks(owner.pointSystemId)).toBe(true);
  const [wallet] = await other`
    select points::int, events::int from wallets where point_system_id = ${windowId}`;
  expect(wallet).toEqual({ points: 7, events: 2 });
  await expectExactNow(windowId);
});
