import { expect, inject, test } from "vitest";
import { foldRanks, ranksFold, rebuildRanks } from "../../app/services/board/rank-counts";
import { verifyLedger } from "../../app/services/ledger/verify";
import { creditSteadily, findLost } from "../support/citus-load";
import { scene } from "../support/scene";
import { other } from "../support/test-database";

const [first, second] = inject("workers");

/** Moves the shard of a point system to the other worker. */
async function move(pointSystemId: string): Promise<void> {
  const [place] = await other<{ shard: string; port: number }[]>`
    select s.shardid as shard, s.nodeport as port from citus_shards s
    where s.table_name = 'shard_anchors'::regclass
      and s.shardid = get_shard_id_for_distribution_column('shard_anchors', ${pointSystemId}::uuid)`;
  const to = place?.port === first?.port ? second?.port : first?.port;
  await other`
    select citus_move_shard_placement(
      ${place?.shard ?? 0}::bigint, '127.0.0.1', ${place?.port ?? 0}::int, '127.0.0.1', ${to ?? 0}::int, 'force_logical'
    )`;
}

test("a shard is moved there and back while it is credited: no credit is lost or doubled, and ranks are exact", async () => {
  const worlds = [await scene(), await scene(), await scene()];
  for (const { pointSystemId } of worlds) await rebuildRanks(pointSystemId);
  const load = creditSteadily(worlds);
  const folds = setInterval(() => void ranksFold.run({ report: () => {} }).catch(() => {}), 200);
  for (let n = 0; n < 2; n += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await move((worlds[0] as (typeof worlds)[number]).pointSystemId);
  }
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await load.stop();
  clearInterval(folds);

  for (const [i, world] of worlds.entries()) {
    const book = load.books[i] as (typeof load.books)[number];
    const rows = await other<{ address: string; points: number }[]>`
      select '0x' || encode(address, 'hex') as address, points::int from wallets
      where point_system_id = ${world.pointSystemId}`;
    expect(book.acknowledged.size).toBeGreaterThan(20);
    expect(findLost(book, rows)).toEqual({ lost: [], unasked: [] });
    while ((await foldRanks(world.pointSystemId)) > 0);
    const { body } = await world.get("/leaderboard", { limit: "100" });
    const best = rows
      .map((row) => row.address)
      .sort()
      .slice(0, 100);
    expect(body.leaderboard.map(({ address }: { address: string }) => address)).toEqual(best);
  }
  console.log(
    `${load.count()} credits were acknowledged, ${load.countRefused()} calls were refused`,
  );
  expect((await verifyLedger()).differences).toEqual([]);
});
