import postgres from "postgres";
import { beforeAll, expect, test } from "vitest";
import { createBoard } from "../../../app/services/board/boards";
import { foldRanks } from "../../../app/services/board/rank-counts";
import { loadFixture } from "../../../app/services/fixture/load-fixture";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { record } from "../../support/events";
import { createOwner } from "../../support/operators";
import { createWorld, expectExactNow } from "../../support/ranked-board";
import { createAddress } from "../../support/scene";
import {
  countRowsRead,
  database,
  extendDeadlines,
  other,
  PLANNED_ROWS,
} from "../../support/test-database";

beforeAll(extendDeadlines);

test("counting keeps a statement's deadline with a plan from when there was nothing to count, analyzed", async () => {
  const { pointSystemId, operator } = await createWorld();
  await other`vacuum analyze rank_counts`;
  const [empty] = await other`select reltuples from pg_class where relname = 'rank_counts'`;
  expect(empty).toEqual({ reltuples: 0 });
  const events = Array.from({ length: 20_000 }, (_, n) => ({
    address: `0x${((n * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, "0")}${"0".repeat(32)}`,
    points: 1 + Math.floor(20_000 * ((n / 20_000) ** 3 % 1)),
    event: null,
  }));
  await loadFixture({ pointSystems: [{ operator, id: pointSystemId, name: "Alpha", events }] });
  // One connection keeps the plan of its first call. Before the fix, calls from the second on took
  // 14 s.
  const counting = postgres({ ...database, max: 1, connection: { statement_timeout: 4_000 } });
  try {
    const fold = () =>
      counting<{ entries: number }[]>`select fold_ranks(${pointSystemId}, 5000) as entries`;
    while ((await fold())[0]?.entries);
  } finally {
    await counting.end({ timeout: 1 });
  }
  const tail = await other`select from rank_moves where point_system_id = ${pointSystemId}`;
  expect(tail.length).toBe(0);
  expect((await verifyLedger()).differences).toEqual([]);
});

test("ranks and pages read the ties alone, by plans from when the index of the board was the deeper one", async () => {
  const { pointSystemId, operator } = await createWorld();
  const few = Array.from({ length: 100 }, createAddress);
  const event = { points: 1, event: null, date: new Date("2026-03-28") };
  for (let round = 0; round < 8; round += 1) {
    await record(
      pointSystemId,
      few.map((address) => ({ ...event, address })),
    );
  }
  while (await foldRanks(pointSystemId, 10_000));
  const events = Array.from({ length: 20_000 }, (_, n) => ({
    ...{ address: createAddress(), points: 100 + n, event: null },
  }));
  const calls = [
    "select * from sum_wallets_ahead($1::uuid, $2::bigint, decode($3, 'hex'), true)",
    "select * from rank_on_board($1::uuid, $2::bigint, decode($3, 'hex'))",
    "select count(*) from list_board_page($1::uuid, 19999 - $2::bigint, 1) where $3::text <> ''",
  ];
  await other.begin(async (tx) => {
    await tx`set local plan_cache_mode = force_generic_plan`;
    await tx`set local enable_seqscan = off`;
    await tx`set local enable_bitmapscan = off`;
    await tx`set local enable_sort = off`;
    const ask = async (call: string, address: string, points: number) =>
      tx.unsafe(call, [pointSystemId, points, address.slice(2)], { prepare: true });
    for (const call of calls) await ask(call, few[0] as string, 8);
    await loadFixture({ pointSystems: [{ operator, id: pointSystemId, name: "Alpha", events }] });
    while (await foldRanks(pointSystemId, 10_000));
    for (const call of calls) {
      const { rows } = await countRowsRead(tx, "wallets", async () => {
        for (const { address, points } of events.slice(5_000, 5_010)) {
          await ask(call, address, points);
        }
      });
      expect(rows, call).toBeLessThanOrEqual(20 + PLANNED_ROWS);
    }
  });
});

test("a fold reads a bounded part of the ledger, also where few of its events move a wallet", async () => {
  const { pointSystemId } = await createWorld();
  const event = { points: 5, event: null, date: new Date("2026-03-28") };
  const wallets = Array.from({ length: 600 }, createAddress);
  // Their moves come after all of them.
  await record(
    pointSystemId,
    wallets.map((address) => ({ ...event, address })),
  );
  const fold = () =>
    other.begin((tx) =>
      countRowsRead(
        tx,
        "point_events",
        () => tx<{ entries: number }[]>`select fold_ranks(${pointSystemId}, 10) as entries`,
      ),
    );
  let folds = 0;
  for (let entries = 10; entries === 10; folds += 1) {
    const folded = await fold();
    // Twice 40: it looks for the last event first.
    expect(folded.rows).toBeLessThan(100);
    entries = folded.answer[0]?.entries ?? 0;
    if (folds % 20 === 0) await expectExactNow(pointSystemId);
  }
  const moves = await other`select from rank_moves where point_system_id = ${pointSystemId}`;
  expect(moves.length).toBe(0);
  expect((await verifyLedger()).differences).toEqual([]);
});

test("a window is found by few look-ups among thousands of a board, with a plan from when there was none, analyzed", async () => {
  await other`vacuum analyze board_windows`;
  const owner = await createOwner();
  const { pointSystemId } = owner;
  const sql = postgres({ ...database, max: 1, connection: { enable_seqscan: "off" } });
  const find = (run: postgres.ISql) =>
    run`select label from find_board_window(${pointSystemId}, ':daily', null)`;
  try {
    expect(await find(sql)).toEqual([]);
    await createBoard(owner, {
      ...{ kind: "daily", slug: null, name: "Day", timeZone: "UTC", isPublic: true, season: null },
    });
    await other`
      insert into board_windows (point_system_id, board_id, label, starts_at, ends_at, place, closed_seq, is_settled)
      select point_system_id, board_id, '2000 ' || i, starts_at, ends_at, 1, 0, true
      from board_windows cross join generate_series(1, 3000) i where point_system_id = ${pointSystemId}`;
    const found = await sql.begin((tx) => countRowsRead(tx, "board_windows", () => find(tx)));
    expect(found.answer.length).toBe(1);
    expect(found.rows).toBeLessThan(5);
  } finally {
    await sql.end({ timeout: 1 });
  }
});

test("a step of counting reads as many events of a long import as it counts, not all that wait", async () => {
  const { pointSystemId } = await createWorld();
  const [step, steps] = [300, 12];
  for (let n = 0; n < steps; n += 1) {
    const events = Array.from({ length: step }, (_, i) => ({
      ...{ address: `0x${(n * step + i).toString(16).padStart(40, "0")}` as const, points: 5 },
      ...{ event: null, date: new Date() },
    }));
    await record(pointSystemId, events);
  }
  for (let n = 0; n < steps; n += 1) {
    const { rows, answer } = await other.begin((tx) =>
      countRowsRead(
        tx,
        "point_events",
        () => tx`select fold_ranks(${pointSystemId}, ${step}) as entries`,
      ),
    );
    expect([...answer]).toEqual([{ entries: step }]);
    expect(rows).toBeLessThan(6 * step);
  }
  expect((await verifyLedger()).differences).toEqual([]);
});
