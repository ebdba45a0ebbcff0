import postgres from "postgres";
import { expect, test } from "vitest";
import { loadFixture } from "../../../app/services/fixture/load-fixture";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { createWorld } from "../../support/ranked-board";
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
