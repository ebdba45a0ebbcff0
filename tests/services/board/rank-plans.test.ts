import postgres from "postgres";
import { expect, test } from "vitest";
import { loadFixture } from "../../../app/services/fixture/load-fixture";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { record } from "../../support/events";
import { createWorld, expectExactNow } from "../../support/ranked-board";
import { createAddress } from "../../support/scene";
import { database, other } from "../../support/test-database";

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
    let counted = 0;
    for (let entries = -1; entries !== 0; counted += entries) {
      const [row] = await counting<{ entries: number }[]>`
        select fold_ranks(${pointSystemId}, 5000) as entries`;
      entries = row?.entries ?? 0;
    }
    expect(counted).toBe(events.length);
  } finally {
    await counting.end({ timeout: 1 });
  }
  expect((await verifyLedger()).differences).toEqual([]);
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
    other.begin(async (tx) => {
      const read = async () => {
        const [row] = await tx<{ rows: number }[]>`
          select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables
          where relname = 'point_events'`;
        return row?.rows ?? 0;
      };
      const before = await read();
      const [row] = await tx<
        { entries: number }[]
      >`select fold_ranks(${pointSystemId}, 10) as entries`;
      return { entries: row?.entries ?? 0, rows: (await read()) - before };
    });
  let folds = 0;
  for (let entries = 10; entries === 10; folds += 1) {
    const folded = await fold();
    // Twice 200: it looks for the last event first.
    expect(folded.rows).toBeLessThan(450);
    ({ entries } = folded);
    if (folds % 20 === 0) await expectExactNow(pointSystemId);
  }
  const moves = await other`select from rank_moves where point_system_id = ${pointSystemId}`;
  expect(moves.length).toBe(0);
  expect((await verifyLedger()).differences).toEqual([]);
});
