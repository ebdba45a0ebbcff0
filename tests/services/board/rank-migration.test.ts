import fs from "node:fs/promises";
import { expect, test } from "vitest";
import { buildMissingRanks, foldRanks } from "../../../app/services/board/rank-counts";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { grant } from "../../support/operators";
import { act, createWorld, expectExact, other, WALLETS } from "../../support/ranked-board";

/** A function as a migration of before makes it. */
async function readFunction(migration: string, name: string): Promise<string> {
  const text = await fs.readFile(`drizzle/migrations/${migration}.sql`, "utf8");
  const begin = new RegExp(`create (?:or replace )?function (?=${name}\\()`);
  const [, definition = ""] = text.split(begin);
  return `create or replace function ${definition.split("--> statement-breakpoint")[0]}`;
}

test("the migration to bands takes over the counts and moves that are there, and ranks stay exact", async () => {
  const world = await createWorld();
  const { pointSystemId } = world;
  const migration = await fs.readFile("drizzle/migrations/0012_rank_bands.sql", "utf8");
  await other.begin(async (tx) => {
    await tx.unsafe(`
      delete from rank_cursors; delete from rank_counts;
      alter table rank_cursors drop column wallets_from_band;
      drop function points_band_bits, points_band, last_key_of_band, sum_bands`);
    for (const [file, name] of [
      ["0005_rank_functions", "board_key"],
      ["0007_rank_levels", "rank_levels"],
      ["0007_rank_levels", "find_board_start"],
      ["0007_rank_levels", "rebuild_ranks"],
      ["0011_rank_roll_up", "rank_on_board"],
      ["0011_rank_roll_up", "fold_ranks"],
    ] as const) {
      await tx.unsafe(await readFunction(file, name));
    }
  });
  while (await buildMissingRanks());
  await act(world, { kind: "credit", calls: WALLETS.map((w) => ({ wallet: w, points: 1_000 })) });
  for (const [i, wallet] of WALLETS.entries()) {
    await grant(world.member, wallet, 1 + 37 * i * i);
    if (i === 8) await foldRanks(pointSystemId);
  }
  await expectExact(pointSystemId, 4);
  await other.begin(async (tx) => {
    for (const statement of migration.split("--> statement-breakpoint")) await tx.unsafe(statement);
  });
  const [waiting] = await other`select count(*)::int as moves from rank_moves
    where point_system_id = ${pointSystemId}`;
  expect(waiting).toEqual({ moves: WALLETS.length - 9 });
  await expectExact(pointSystemId, 4);
  expect((await verifyLedger()).differences).toEqual([]);
  await foldRanks(pointSystemId);
  await expectExact(pointSystemId, 4);
  expect((await verifyLedger()).differences).toEqual([]);
});
