import { sql } from "drizzle-orm";
import postgres from "postgres";
import { expect, test } from "vitest";
import { rebuildBooks } from "../../../app/services/board/board-books";
import { fillBoard } from "../../../app/services/board/board-fill";
import { listBoards } from "../../../app/services/board/board-list";
import { createBoard, deleteBoard } from "../../../app/services/board/boards";
import { listLeaderboard } from "../../../app/services/board/leaderboard";
import { foldRanks } from "../../../app/services/board/rank-counts";
import { addToBlacklist } from "../../../app/services/ledger/blacklist";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { purgeDeletedBoards } from "../../../app/services/point-systems/purge";
import { record } from "../../support/events";
import { findOwner, grant } from "../../support/operators";
import { expectExactNow } from "../../support/ranked-board";
import { createAddress, scene } from "../../support/scene";
import { database, other, readAtOnce, waitForSleep } from "../../support/test-database";

const signal = new AbortController().signal;
const SEASON = { startsAt: new Date("2020-01-01"), endsAt: new Date("2100-01-01") };

async function createSeason(options: Parameters<typeof scene>[0] = {}) {
  const s = await scene(options);
  const owner = await findOwner(s.pointSystemId);
  await createBoard(owner, {
    ...{
      kind: "season",
      slug: "one",
      name: "One",
      timeZone: "UTC",
      isPublic: true,
      season: SEASON,
    },
  });
  const [window] = await other<{ id: string }[]>`
    select id from board_windows where point_system_id = ${s.pointSystemId}`;
  return { ...s, owner, windowId: window?.id ?? "" };
}

const readSeason = (pointSystemId: string) =>
  listLeaderboard(pointSystemId, { page: 1, limit: 200 }, { key: "one", label: null });

test("windows lie side by side through every change of the clocks, also at midnight", async () => {
  // In Havana and Beirut, clocks go back or forward at midnight; in Lord Howe by half an hour.
  const zones = ["Europe/Berlin", "America/Havana", "Asia/Beirut", "Australia/Lord_Howe", "UTC"];
  const wrong = await other`
    select zone, kind, at, w.label from unnest(${zones}::text[]) zone
    cross join unnest(array['daily', 'weekly', 'monthly']) kind
    cross join generate_series('2026-01-01'::timestamptz, '2027-01-08', interval '97 minutes') at
    left join lateral find_window(kind, zone, at) w on true
    left join lateral find_window(kind, zone, w.ends_at) after on true
    left join lateral find_window(kind, zone, w.starts_at) first on true
    where (w.starts_at <= at and at < w.ends_at and after.starts_at = w.ends_at and after.label > w.label
      and first.label = w.label) is not true
      or (select count(*) from find_window(kind, zone, at)) <> 1`;
  expect(wrong.length).toBe(0);
  const [day, week] = await other`
    select label, ends_at - starts_at = interval '23 hours' as "isShort"
    from find_window('daily', 'Europe/Berlin', '2026-03-29T12:00Z')
    union all
    select label, ends_at = '2027-01-03T23:00Z' from find_window('weekly', 'Europe/Berlin', '2027-01-03T22:59Z')`;
  expect([day, week]).toEqual([
    { label: "2026-03-29", isShort: true },
    { label: "2026-W53", isShort: true },
  ]);
});

test("a fold of a window that is killed halfway has done nothing, and the next one does all of it", async () => {
  const { pointSystemId, windowId, fire, owner } = await createSeason();
  for (let i = 0; i < 4; i += 1) await fire({ walletAddress: createAddress() });
  await grant(owner, createAddress(), 15);
  const victim = postgres({ ...database, max: 1 });
  const [self] = await victim<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const fold = victim.begin(async (tx) => {
    await tx`select fold_ranks(${windowId}, 5000)`;
    await tx`select pg_sleep(60)`;
  });
  const died = fold.then(
    () => "lived",
    () => "died",
  );
  await waitForSleep(self?.pid ?? 0);
  const before = await readSeason(pointSystemId);
  expect(before.pagination.total).toBe(5);
  await expectExactNow(windowId);
  await other`select pg_terminate_backend(${self?.pid ?? 0}::int)`;
  expect(await died).toBe("died");
  await victim.end({ timeout: 1 });
  expect(await foldRanks(pointSystemId)).toBe(5);
  expect(await readSeason(pointSystemId)).toEqual(before);
  await expectExactNow(windowId);
  expect((await verifyLedger()).differences).toEqual([]);
});

test("a season over many events is filled by a job, and credits meanwhile are neither lost nor counted twice", async () => {
  const s = await scene({ trigger: { points: 1 } });
  const owner = await findOwner(s.pointSystemId);
  const wallets = Array.from({ length: 7 }, createAddress);
  const events = Array.from({ length: 10_001 }, (_, i) => ({
    ...{ address: wallets[i % 7] as `0x${string}`, points: 2, event: null },
    date: new Date("2026-05-01"),
  }));
  await record(s.pointSystemId, events);
  await addToBlacklist(owner, [{ address: wallets[6] as `0x${string}`, reason: null }]);
  await createBoard(owner, {
    ...{
      kind: "season",
      slug: "one",
      name: "One",
      timeZone: "UTC",
      isPublic: true,
      season: SEASON,
    },
  });
  expect((await listBoards(s.pointSystemId))[0]?.state).toBe("filling");
  const { status, body } = await s.get("/leaderboard", { board: "season:one" });
  expect([status, body.code]).toEqual([503, "service_unavailable"]);
  const [window] = await other<{ id: string }[]>`
    select id from board_windows where point_system_id = ${s.pointSystemId}`;
  const key = { pointSystemId: s.pointSystemId, windowId: window?.id ?? "" };
  // Two processes take the job, since the first one looked dead.
  const filling = Promise.all([fillBoard(key, signal), fillBoard(key, signal)]);
  const credits: unknown[] = [];
  for (let i = 0; i < 30; i += 1) {
    const walletAddress = wallets[i % 6];
    credits.push(await s.fire({ walletAddress }, { "Idempotency-Key": `${i}` }));
  }
  await filling;
  await s.fire({ walletAddress: wallets[0] });
  const board = await readSeason(s.pointSystemId);
  const allTime = await listLeaderboard(s.pointSystemId, { page: 1, limit: 200 });
  expect(board).toEqual(allTime);
  expect(board.leaderboard.length).toBe(6);
  await expectExactNow(key.windowId);
  expect((await verifyLedger()).differences).toEqual([]);
});

test("calls to two instances at once count once each on every board", async () => {
  const { pointSystemId, windowId, token, wallet } = await createSeason({ trigger: { points: 3 } });
  const instance = postgres({ ...database, max: 3 });
  const call = (i: number) => instance`
    select from credit_points(${pointSystemId}, array[sha256(convert_to(${token}, 'UTF8'))], array[1],
      array['daily_login'], array[decode(lpad(to_hex(${i}::int % 5), 40, '0'), 'hex')],
      array[gen_random_uuid()], '{}', '{}', '{}', '{}', '{}', '{}', 9007199254740991, null, false)`;
  const { fireTrigger } = await import("../../../app/services/ledger/credit");
  const { hashApiKeyToken } = await import("../../../app/domain/access/api-key");
  await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      i % 2 === 0
        ? call(i)
        : fireTrigger(
            { tokenHash: hashApiKeyToken(token) },
            {
              ...{ pointSystemId, triggerKey: "daily_login", idempotencyKey: null, points: null },
              ...{ areFixedPointsStrict: false, occurredAt: null, metadata: null },
              walletAddress: i % 3 === 0 ? wallet : createAddress(),
            },
          ),
    ),
  );
  await instance.end();
  expect(await readSeason(pointSystemId)).toEqual(
    await listLeaderboard(pointSystemId, { page: 1, limit: 200 }),
  );
  await expectExactNow(windowId);
  expect((await verifyLedger()).differences).toEqual([]);
});

test("verification tells of a window that is not as the ledger is, and a rebuild rights it", async () => {
  const { pointSystemId, windowId, fire, wallet } = await createSeason();
  await fire();
  await fire({ walletAddress: createAddress() });
  const before = await readSeason(pointSystemId);
  for (const change of ["update wallets set points = points + 1", "delete from wallets"]) {
    await other.unsafe(`${change} where point_system_id = $1 and address = $2`, [
      windowId,
      Buffer.from(wallet.slice(2), "hex"),
    ]);
    const { differences } = await verifyLedger();
    expect(differences).toContainEqual(
      expect.objectContaining({ pointSystemId, address: wallet, field: "points on the board one" }),
    );
    expect(await rebuildBooks(pointSystemId)).toBe(true);
    expect((await verifyLedger()).differences).toEqual([]);
    expect(await readSeason(pointSystemId)).toEqual(before);
  }
});

test("a rebuild that needs a locked ledger soon gives up, and lets those of other point systems go on", async () => {
  const { pointSystemId, windowId, fire } = await createSeason();
  await fire();
  await other`update wallets set points = points + 1 where point_system_id = ${windowId}`;
  await other.begin(async (tx) => {
    await tx`select lock_ledger(${pointSystemId}::uuid)`;
    await expect(rebuildBooks(pointSystemId)).rejects.toThrow("The ledger is locked");
  });
  expect(await rebuildBooks(pointSystemId)).toBe(true);
  expect((await verifyLedger()).differences).toEqual([]);
});

test("a deleted board leaves nothing behind, and its name is free at once", async () => {
  const { pointSystemId, windowId, fire, owner } = await createSeason();
  await fire();
  await foldRanks(pointSystemId);
  await deleteBoard(owner, "one");
  await fire();
  await createBoard(owner, {
    ...{
      kind: "season",
      slug: "one",
      name: "New",
      timeZone: "UTC",
      isPublic: true,
      season: SEASON,
    },
  });
  while (await purgeDeletedBoards(pointSystemId));
  const rows = await readAtOnce(sql`
    select from wallets where point_system_id = ${windowId}
    union all select from rank_counts where point_system_id = ${windowId}
    union all select from rank_cursors where point_system_id = ${windowId}
    union all select from board_windows where id = ${windowId}`);
  expect(rows.length).toBe(0);
  expect((await readSeason(pointSystemId)).leaderboard).toMatchObject([{ points: 20, events: 2 }]);
  expect((await verifyLedger()).differences).toEqual([]);
});
