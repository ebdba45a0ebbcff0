import postgres from "postgres";
import { expect, test } from "vitest";
import { listLeaderboard } from "../../../app/services/board/leaderboard";
import {
  buildMissingRanks,
  foldRanks,
  ranksFold,
  rebuildRanks,
} from "../../../app/services/board/rank-counts";
import { loadFixture } from "../../../app/services/fixture/load-fixture";
import { addToBlacklist, removeFromBlacklist } from "../../../app/services/ledger/blacklist";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { grant } from "../../support/operators";
import { act, createWorld, expectExact, WALLETS } from "../../support/ranked-board";
import { database, other, waitForSleep } from "../../support/test-database";

test("a fold that is killed halfway has done nothing, and the next one does all of it", async () => {
  const world = await createWorld();
  const { pointSystemId } = world;
  await act(world, { kind: "credit", calls: WALLETS.map((w) => ({ wallet: w, points: 256 })) });
  await grant(world.member, WALLETS[3] as `0x${string}`, 15);
  const victim = postgres({ ...database, max: 1 });
  const [self] = await victim<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const fold = victim.begin(async (tx) => {
    await tx`select fold_ranks(${pointSystemId}, 5000)`;
    await tx`select pg_sleep(60)`;
  });
  const died = fold.then(
    () => "lived",
    () => "died",
  );
  await waitForSleep(self?.pid ?? 0);
  // A second fold does not wait for it, and readers see no effect of it.
  expect(await foldRanks(pointSystemId)).toBe(0);
  await expectExact(pointSystemId, 4);
  await other`select pg_terminate_backend(${self?.pid ?? 0}::int)`;
  expect(await died).toBe("died");
  await victim.end({ timeout: 1 });
  await expectExact(pointSystemId, 4);
  expect(await foldRanks(pointSystemId)).toBe(WALLETS.length + 1);
  await expectExact(pointSystemId, 4);
  expect((await verifyLedger()).differences).toEqual([]);
});

test("pages deep in a large board go on where the ones before end, with much or nothing to count", async () => {
  const world = await createWorld();
  const { pointSystemId, operator } = world;
  const toHex = (n: number, digits: number) => n.toString(16).padStart(digits, "0");
  const events = Array.from({ length: 2_500 }, (_, n) => ({
    address: `0x${toHex((n * 7_919) % 256, 2)}${toHex(n, 38)}`,
    points: n % 3 === 0 ? 10 : ((n * 31) % 900) + 1,
    event: null,
  }));
  await loadFixture({ pointSystems: [{ operator, id: pointSystemId, name: "Alpha", events }] });
  await rebuildRanks(pointSystemId);
  const board = await other<{ address: string }[]>`
    select '0x' || encode(address, 'hex') as address from wallets
    where point_system_id = ${pointSystemId} order by points desc, address`;
  const expectPages = async () => {
    for (const limit of [199, 200]) {
      for (let page = 1; page <= Math.ceil(2_500 / limit); page += 1) {
        const { leaderboard } = await listLeaderboard(pointSystemId, { page, limit });
        const start = (page - 1) * limit;
        expect(leaderboard.map(({ rank, address }) => ({ rank, address }))).toEqual(
          board
            .slice(start, start + limit)
            .map(({ address }, i) => ({ rank: start + i + 1, address })),
        );
      }
    }
  };
  await expectPages();
  // These entries change nothing in the end, but each could have: the start of a page is searched
  // further up.
  const [first] = board;
  for (let i = 0; i < 20; i += 1) {
    await addToBlacklist(world.member, [
      { address: first?.address as `0x${string}`, reason: null },
    ]);
    await removeFromBlacklist(world.member, [first?.address as `0x${string}`]);
  }
  await expectPages();
  await foldRanks(pointSystemId);
  await expectPages();
});

test("the worker counts whatever waits, of every point system", async () => {
  const worlds = await Promise.all([createWorld(), createWorld()]);
  for (const world of worlds) await grant(world.member, WALLETS[0] as `0x${string}`, 1);
  while (await ranksFold.run());
  const waiting = await other`
    select from rank_moves where point_system_id = any(${worlds.map((w) => w.pointSystemId)}::uuid[])`;
  expect(waiting.length).toBe(0);
});

test("events that move nobody on the board are not looked at again and again", async () => {
  const world = await createWorld();
  const { pointSystemId } = world;
  const calls = [{ wallet: WALLETS[0] as `0x${string}`, points: 16 }];
  await act(world, { kind: "credit", calls });
  await act(world, { kind: "ban", wallet: WALLETS[0] as `0x${string}` });
  await act(world, { kind: "void", pick: 0 });
  await foldRanks(pointSystemId);
  const [row] = await other`
    select c.seq = (select max(e.seq) from point_events e where e.point_system_id = c.point_system_id)
      as "isAtEnd"
    from rank_cursors c where c.point_system_id = ${pointSystemId}`;
  expect(row).toEqual({ isAtEnd: true });
  await expectExact(pointSystemId, 4);
});

test("a point system from before there were ranks is counted until the worker has made its counts", async () => {
  const world = await createWorld();
  const { pointSystemId } = world;
  await act(world, { kind: "credit", calls: WALLETS.map((w) => ({ wallet: w, points: 16 })) });
  await act(world, { kind: "forget" });
  await grant(world.member, WALLETS[2] as `0x${string}`, 1);
  await expectExact(pointSystemId, 4);
  const countRanked = () => other`
    select from rank_cursors where point_system_id = ${pointSystemId}`;
  expect((await countRanked()).length).toBe(0);
  while (await buildMissingRanks());
  expect((await countRanked()).length).toBe(1);
  await expectExact(pointSystemId, 4);
  expect((await verifyLedger()).differences).toEqual([]);
});

test("a board whose counts cannot be made keeps no other one waiting, and each failure is told", async () => {
  const worlds = [await createWorld(), await createWorld(), await createWorld()];
  const ids = worlds.map(({ pointSystemId }) => pointSystemId).sort();
  for (const world of worlds) {
    await act(world, { kind: "credit", calls: WALLETS.map((w) => ({ wallet: w, points: 16 })) });
    await act(world, { kind: "forget" });
  }
  await other`
    create or replace function refuse_counts() returns trigger language plpgsql as $$
    begin raise exception 'no'; end $$`;
  await other.unsafe(`
    create trigger refuse_counts before insert on rank_counts for each row
      when (new.point_system_id in ('${ids[0]}', '${ids[1]}')) execute function refuse_counts()`);
  try {
    const failure = await buildMissingRanks().catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: "AggregateError", message: "2 of 3 failed" });
    const told = (failure as AggregateError).errors.map((error: Error) => error.message);
    expect(told.sort()).toEqual(ids.slice(0, 2).map((id) => `The ranks of board ${id} failed`));
    const ranked = await other<{ id: string }[]>`
      select point_system_id as id from rank_cursors where point_system_id = any(${ids}) order by 1`;
    expect(ranked.map(({ id }) => id)).toEqual(ids.slice(2));
  } finally {
    await other`drop trigger refuse_counts on rank_counts`;
  }
  expect(await buildMissingRanks()).toBe(false);
  await expectExact(ids[0] ?? "", 4);
});

test("verification tells of counts that are not as the wallets are, and a rebuild rights them", async () => {
  const world = await createWorld();
  const { pointSystemId } = world;
  await act(world, {
    kind: "credit",
    calls: [{ wallet: WALLETS[0] as `0x${string}`, points: 16 }],
  });
  await foldRanks(pointSystemId);
  for (const level of [0, 7]) {
    await other`
      update rank_counts set wallets = wallets + 1
      where point_system_id = ${pointSystemId} and level = ${level}`;
    const { differences } = await verifyLedger();
    expect(differences.map(({ field }) => field.split("/")[0])).toContain(`rank count ${level}`);
    await rebuildRanks(pointSystemId);
    expect((await verifyLedger()).differences).toEqual([]);
  }
  for (const [change, field] of [
    ["wallets_from_band[4] = wallets_from_band[4] + 1", "wallets from each band on"],
    ["key_max = 1, wallets_from_band = '{}'", "highest counted key"],
  ] as const) {
    await other.unsafe(`update rank_cursors set ${change} where point_system_id = $1`, [
      pointSystemId,
    ]);
    const { differences } = await verifyLedger();
    expect(differences.map((difference) => difference.field)).toContain(field);
    await rebuildRanks(pointSystemId);
    expect((await verifyLedger()).differences).toEqual([]);
  }
});

test("bands lie side by side in the order of the points, up to the highest that there can be", async () => {
  const wrong = await other`
    with points as (
      select distinct p from (
        select generate_series(0, 5000)::bigint as p
        union all select (1::bigint << bits) + around from generate_series(5, 52) bits,
          generate_series(-2, 2) around
        union all select (random() * 9007199254740991)::bigint from generate_series(1, 2000)
      ) p where p < 9007199254740991
    )
    select p, points_band(p), points_band(p + 1) from points
    where points_band(p + 1) - points_band(p) <> case
      when last_key_of_band(p * 64) >> 6 = p then 1 else 0 end
      or last_key_of_band(p * 64 + 7) <> last_key_of_band(p * 64)
      -- No more points are of a band than a sixteenth of its lowest, or one.
      or (last_key_of_band(p * 64) >> 6) - p >= greatest(1, p / 16)`;
  expect(wrong).toEqual([]);
  const [highest] = await other`select points_band(9007199254740991)`;
  expect(highest).toEqual({ points_band: 1215 });
});
