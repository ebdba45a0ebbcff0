import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rebuildRanks } from "../../app/services/board/rank-counts";
import { verifyLedger } from "../../app/services/ledger/verify";
import { type Citus, startAgain, startCitus } from "../support/citus";
import { openDistributed } from "../support/citus-database";
import { creditSteadily, findLost } from "../support/citus-load";
import { scene } from "../support/scene";

let citus: Citus;

beforeAll(async () => {
  citus = await startCitus();
  await openDistributed(citus, "killed");
}, 120_000);

afterAll(() => citus.end());

test("kill -9 of a worker and of the coordinator under load loses and doubles no acknowledged credit", async () => {
  const worlds = [await scene(), await scene(), await scene(), await scene()];
  for (const { pointSystemId } of worlds) await rebuildRanks(pointSystemId);
  const load = creditSteadily(worlds);
  const untilMore = async (credits: number) => {
    const from = load.count();
    for (let n = 0; load.count() < from + credits; n += 1) {
      if (n > 600) throw new Error("Credits did not go on");
      await sleep(100);
    }
  };
  await untilMore(200);
  for (const node of [...citus.workers, citus.coordinator]) {
    node.kill();
    await sleep(1_000);
    await startAgain(node.start);
    // Some for the point systems of each worker.
    await untilMore(200);
  }
  await load.stop();
  console.log(
    `${load.count()} credits were acknowledged, ${load.countRefused()} calls were refused`,
  );

  const sql = postgres({ ...citus.coordinator.address, database: "killed", max: 1 });
  for (const [i, world] of worlds.entries()) {
    const rows = await sql<{ address: string; points: number }[]>`
      select '0x' || encode(address, 'hex') as address, points::int from wallets
      where point_system_id = ${world.pointSystemId}`;
    expect(findLost(load.books[i] as (typeof load.books)[number], rows)).toEqual({
      lost: [],
      unasked: [],
    });
  }
  await sql.end();
  expect((await verifyLedger()).differences).toEqual([]);
});
