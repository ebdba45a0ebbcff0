import fc from "fast-check";
import { expect, test } from "vitest";
import type { Address } from "../../../app/domain/address";
import { Failure } from "../../../app/domain/failure";
import { fillBoard } from "../../../app/services/board/board-fill";
import { listBoards } from "../../../app/services/board/board-list";
import { createBoard, deleteBoard } from "../../../app/services/board/boards";
import { listLeaderboard } from "../../../app/services/board/leaderboard";
import { buildMissingRanks } from "../../../app/services/board/rank-counts";
import { addToBlacklist, removeFromBlacklist } from "../../../app/services/ledger/blacklist";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { deletePointSystem } from "../../../app/services/point-systems/point-systems";
import {
  purgeDeletedBoards,
  purgeDeletedPointSystem,
} from "../../../app/services/point-systems/purge";
import { linkWallets, unlinkWallet } from "../../../app/services/wallet-links/links";
import { atDepth } from "../../support/depth";
import { record, voidById } from "../../support/events";
import { codeOf, createOwner } from "../../support/operators";
import { expectExactNow } from "../../support/ranked-board";
import { createAddress } from "../../support/scene";
import { countRowsRead, other, PLANNED_ROWS } from "../../support/test-database";

type WindowKey = Parameters<typeof fillBoard>[0];

const signal = new AbortController().signal;
const WALLETS = Array.from({ length: 6 }, createAddress);
const LISTED = Array.from({ length: 4_500 }, createAddress);

/** Creates a season that is not filled yet, as one over many events is. */
async function createFilling() {
  const owner = await createOwner();
  const { pointSystemId } = owner;
  const season = { startsAt: new Date("2020-01-01"), endsAt: new Date("2100-01-01") };
  const board = { kind: "season", name: "One", timeZone: "UTC", isPublic: true } as const;
  await createBoard(owner, { ...board, slug: "one", season });
  const [window] = await other<{ id: string }[]>`
    update board_windows set is_ready = false where point_system_id = ${pointSystemId} returning id`;
  const windowId = window?.id ?? "";
  await other`delete from rank_cursors where point_system_id = ${windowId}`;
  await other`delete from season_totals where point_system_id = ${windowId}`;
  return {
    owner,
    key: { pointSystemId, windowId },
    load: (addresses: readonly Address[]) => {
      const event = { points: 5, event: "login", date: new Date("2026-03-28") };
      return record(
        pointSystemId,
        addresses.map((address) => ({ ...event, address })),
      );
    },
    /** Begins a pass that waits for a wallet's row until the work is done. */
    passDuring: async (address: Address, work: () => Promise<unknown>) => {
      let passing: Promise<unknown> = Promise.resolve();
      await other.begin(async (tx) => {
        const bytes = Buffer.from(address.slice(2), "hex");
        await tx`select from wallets where point_system_id = ${windowId} and address = ${bytes} for update`;
        passing = other`select fill_board_window(${windowId}, false)`.execute();
        await expect
          .poll(
            () => tx`
            select from pg_locks l join pg_stat_activity a using (pid)
            where not l.granted and a.datname = current_database() and a.query like '%fill_board_window%'`,
          )
          .not.toHaveLength(0);
        await work();
      });
      await passing;
    },
    pass: () => other`select fill_board_window(${windowId}, false)`,
    mark: () => other`select mark_filled_wallets(${pointSystemId}, ${windowId}, '', 2000)`,
    ban: (address: Address) => addToBlacklist(owner, [{ address, reason: null }]),
    pardon: (address: Address) => removeFromBlacklist(owner, [address]),
    /** Lists the wallets whose mark is not what the blacklist says. */
    listWrong: () => other`
      select w.address, w.is_blacklisted from wallets w
      where w.point_system_id = ${windowId} and w.is_blacklisted <> exists (
        select from blacklist b where b.point_system_id = ${pointSystemId} and b.address = w.address
      )`,
  };
}

/** Checks that a statement, which is undone, updates some wallets and reads no others. */
async function expectRead(
  { pointSystemId, windowId }: WindowKey,
  statement: string,
  wallets: number,
): Promise<void> {
  const undone = new Error("undone");
  const work = other.begin(async (tx) => {
    await tx`set local enable_seqscan = off`;
    const run = () => tx.unsafe(statement, [pointSystemId, windowId]);
    const { rows, updated } = await countRowsRead(tx, "wallets", run);
    expect(updated, statement).toBe(wallets);
    expect(rows, statement).toBeGreaterThanOrEqual(wallets);
    expect(rows, statement).toBeLessThan(wallets + PLANNED_ROWS);
    throw undone;
  });
  await expect(work).rejects.toBe(undone);
}

/** Passes over what a step may not do. */
const tolerate = (work: Promise<unknown>) =>
  work.catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
  });

/** Lists the tables that still have rows of a window. */
const listLeft = ({ windowId }: WindowKey) => other`
  select 'wallets' as name from wallets where point_system_id = ${windowId}
  union all select 'rank_cursors' from rank_cursors where point_system_id = ${windowId}
  union all select 'rank_counts' from rank_counts where point_system_id = ${windowId}
  union all select 'season_totals' from season_totals where point_system_id = ${windowId}
  union all select 'board_windows' from board_windows where id = ${windowId}`;

const wallet = fc.constantFrom(...WALLETS.slice(0, 2));
const kind = <Kind extends string>(name: Kind) => fc.constant(name);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: kind("load"), wallet }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("void"), wallet }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("ban"), wallet }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("pardon"), wallet }) },
  { weight: 3, arbitrary: fc.record({ kind: kind("pass"), wallet }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("mark"), wallet }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("link"), wallet }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("unlink"), wallet }) },
);
/** The wallet to which the others are linked. */
const PRIMARY = WALLETS[2] as Address;

test("whenever a season is filled and the blacklist changes, exactly the listed wallets are off it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
      const { owner, key, load, listWrong, ...acts } = await createFilling();
      const ids = new Map<Address, string[]>(WALLETS.map((address) => [address, []]));
      const banned = new Set<Address>();
      for (const next of steps) {
        const own = ids.get(next.wallet) ?? [];
        if (next.kind === "ban") banned.add(next.wallet);
        if (next.kind === "pardon") banned.delete(next.wallet);
        if (next.kind === "load") {
          if (!banned.has(next.wallet)) own.push(...(await load([next.wallet])));
        } else if (next.kind === "void") {
          const id = own.pop();
          if (id) await voidById(owner, id);
        } else if (next.kind === "link") {
          await tolerate(linkWallets(owner, { address: next.wallet, primaryAddress: PRIMARY }));
        } else if (next.kind === "unlink") {
          await tolerate(unlinkWallet(owner, next.wallet));
        } else if (next.kind === "ban" || next.kind === "pardon")
          await acts[next.kind](next.wallet);
        else await acts[next.kind]();
      }
      await fillBoard(key, signal);
      expect(await listWrong()).toEqual([]);
      await expectExactNow(key.windowId);
      const { differences } = await verifyLedger();
      expect(differences.filter((each) => each.pointSystemId === key.pointSystemId)).toEqual([]);
    }),
    { numRuns: atDepth(6, 150) },
  );
}, 300_000);

test("a blacklist that changes while two processes fill a season is not missed", async () => {
  const { owner, key, load, ban, pardon, listWrong } = await createFilling();
  await load([...WALLETS, ...LISTED]);
  await addToBlacklist(
    owner,
    LISTED.map((address) => ({ address, reason: null })),
  );
  const filling = Promise.all([fillBoard(key, signal), fillBoard(key, signal)]);
  for (const address of WALLETS) {
    await load([address]);
    await ban(address);
    const listed = LISTED[WALLETS.indexOf(address) * 700];
    if (listed) await pardon(listed);
  }
  await filling;
  expect(await listWrong()).toEqual([]);
  await expectExactNow(key.windowId);
  const { differences } = await verifyLedger();
  expect(differences.filter((each) => each.pointSystemId === key.pointSystemId)).toEqual([]);
});

test("a pass behind the first one counts at most 10,000 events, so that who waits for its wallets waits a moment", async () => {
  const { key, load, pass } = await createFilling();
  await load(WALLETS);
  await pass();
  for (let n = 0; n < 3; n += 1) await load(LISTED);
  const count = async () => {
    const [passed] = await pass();
    const [row] = await other`
      select sum(events)::int as events from wallets where point_system_id = ${key.windowId}`;
    return [Number(passed?.fill_board_window), row?.events];
  };
  expect(await count()).toEqual([10_000, 10_006]);
  await load(WALLETS);
  expect(await count()).toEqual([3_506, 13_512]);
  expect(await count()).toEqual([0, 13_512]);
  await fillBoard(key, signal);
  const { differences } = await verifyLedger();
  expect(differences.filter((each) => each.pointSystemId === key.pointSystemId)).toEqual([]);
});

test("marking a season's wallets looks up those on the blacklist and no others, whatever the statistics say", async () => {
  const { owner, key, load, pass } = await createFilling();
  await load(LISTED);
  const banned = LISTED.slice(0, 1_500).map((address) => ({ address, reason: null }));
  await addToBlacklist(owner, banned);
  await pass();
  const marking = "select mark_filled_wallets($1, $2, '', 2000)";
  const opening = "select fill_board_window($2, true), open_filled_window($1, $2)";
  await expectRead(key, marking, 1_500);
  await expectRead(key, opening, 0);
  await other`vacuum analyze wallets`;
  await other`vacuum analyze blacklist`;
  await expectRead(key, marking, 1_500);
  await expectRead(key, opening, 0);
});

test("nothing reads the wallets of a season that is being filled, or whose ranks are not counted yet", async () => {
  const { key, load, pass } = await createFilling();
  await load(LISTED);
  await pass();
  const readers = [
    "select * from size_named_board($1, 'one', null) where $2::uuid is not null",
    `select * from read_board_entry($1, 'one', null, '\\x00') where $2::uuid is not null`,
    "select * from list_seasons($1, 5, 10) where $2::uuid is not null",
  ];
  for (const isReady of [false, true]) {
    await other`update board_windows set is_ready = ${isReady} where id = ${key.windowId}`;
    for (const reader of readers) await expectRead(key, reader, 0);
    await expect(
      listLeaderboard(key.pointSystemId, { page: 1, limit: 1 }, { key: "one", label: null }),
    ).rejects.toMatchObject({ code: "service_unavailable" });
    expect(await listBoards(key.pointSystemId)).toMatchObject([{ state: "filling" }]);
  }
  while (await buildMissingRanks());
  const { pagination } = await listLeaderboard(
    key.pointSystemId,
    { page: 1, limit: 1 },
    { key: "one", label: null },
  );
  expect(pagination.total).toBe(LISTED.length);
});

test("the first move of points within a pass takes along what the pass counts", async () => {
  const [address, primaryAddress] = WALLETS.slice(0, 2) as [Address, Address];
  const { owner, key, load, pass, passDuring } = await createFilling();
  await load([address, ...WALLETS]);
  await pass();
  await load(WALLETS);
  await passDuring(address, async () => {
    await linkWallets(owner, { address, primaryAddress });
    await load([address]);
  });
  await fillBoard(key, signal);
  const [wallet] = await other`
    select points::int from wallets
    where point_system_id = ${key.windowId} and address = ${Buffer.from(primaryAddress.slice(2), "hex")}`;
  expect(wallet?.points).toBe(30);
  await expectExactNow(key.windowId);
  const { differences } = await verifyLedger();
  expect(differences.filter((each) => each.pointSystemId === key.pointSystemId)).toEqual([]);
});

test("a board that is deleted within a pass keeps credits waiting for a moment, and leaves nothing once it can go", async () => {
  const { owner, key, load, pass, passDuring } = await createFilling();
  await load(WALLETS);
  await pass();
  await load(WALLETS);
  await passDuring(WALLETS[0] as Address, async () => {
    const deleting = codeOf(deleteBoard(owner, "one"));
    const startedAt = performance.now();
    await load([createAddress()]);
    expect(performance.now() - startedAt).toBeLessThan(2_500);
    expect(await deleting).toBe("service_unavailable");
  });
  await deleteBoard(owner, "one");
  await fillBoard(key, signal);
  while (await purgeDeletedBoards(key.pointSystemId));
  expect(await listLeft(key)).toEqual([]);
});

test("a point system that is deleted within a pass leaves nothing, whatever its job does later", async () => {
  const { owner, key, load, pass, passDuring } = await createFilling();
  await load(WALLETS);
  await pass();
  await load(WALLETS);
  const [system] = await other<{ name: string }[]>`
    select name from point_systems where id = ${key.pointSystemId}`;
  await passDuring(WALLETS[0] as Address, () => deletePointSystem(owner, system?.name ?? ""));
  expect(await codeOf(fillBoard(key, signal))).toBe("not_found");
  while (await purgeDeletedPointSystem(key.pointSystemId));
  await fillBoard(key, signal);
  expect(await listLeft(key)).toEqual([]);
});
