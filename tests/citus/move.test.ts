import { expect, inject, test } from "vitest";
import { ranksFold, rebuildRanks } from "../../app/services/board/rank-counts";
import { verifyLedger } from "../../app/services/ledger/verify";
import { creditSteadily, expectExact, findShard, moveShard } from "../support/citus-load";
import { scene } from "../support/scene";
import { other } from "../support/test-database";

const [first = 0, second = 0] = inject("workers").map(({ port }) => port);

test("a shard is moved there and back while it is credited: no credit is lost or doubled, and ranks are exact", async () => {
  const worlds = [await scene(), await scene(), await scene()] as const;
  const [{ pointSystemId: moved }] = worlds;
  for (const { pointSystemId } of worlds) await rebuildRanks(pointSystemId);
  const load = creditSteadily(worlds);
  const folds = setInterval(() => void ranksFold.run({ report: () => {} }).catch(() => {}), 200);
  for (let n = 0; n < 2; n += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const { port } = await findShard(other, moved);
    await moveShard(other, moved, port === first ? second : first);
  }
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await load.stop();
  clearInterval(folds);

  await expectExact(other, worlds, load.books);
  console.log(
    `${load.count()} credits were acknowledged, ${load.countRefused()} calls were refused`,
  );
  expect((await verifyLedger()).differences).toEqual([]);
});
