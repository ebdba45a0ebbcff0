import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { distributeDatabase } from "../../app/db/citus/distribute";
import type { DatabaseAddress } from "../../app/db/pool";
import { ranksFold, rebuildRanks } from "../../app/services/board/rank-counts";
import { verifyLedger } from "../../app/services/ledger/verify";
import { type Citus, type CitusNode, runOn, startCitus } from "../support/citus";
import { openDistributed } from "../support/citus-database";
import { creditSteadily, expectExact, findShard, moveShard } from "../support/citus-load";
import { scene } from "../support/scene";

let citus: Citus;
let address: DatabaseAddress;

beforeAll(async () => {
  citus = await startCitus({ workers: 3 });
  address = await openDistributed(citus, "grown", 2);
}, 120_000);
afterAll(() => citus.end());

test("a worker is added and takes shards under credits: no credit is lost or doubled, and ranks are exact", async () => {
  const { address: added } = citus.workers[2] as CitusNode;
  const sql = postgres({
    ...citus.coordinator.address,
    database: "grown",
    max: 1,
    onnotice: () => {},
  });
  const countShards = async () => {
    const [row] = await sql<{ shards: number }[]>`
      select count(*)::int as shards from citus_shards
      where table_name = 'shard_anchors'::regclass and nodeport = ${added.port}`;
    return row?.shards;
  };
  const worlds = [await scene(), await scene(), await scene(), await scene()];
  for (const { pointSystemId } of worlds) await rebuildRanks(pointSystemId);
  const load = creditSteadily(worlds);
  const folds = setInterval(() => void ranksFold.run({ report: () => {} }).catch(() => {}), 200);
  await sleep(1_000);

  await runOn([added], "postgres", "create database grown");
  await runOn([added], "grown", "create extension citus");
  await sql`select citus_add_node('127.0.0.1', ${added.port}::int)`;
  const said: string[] = [];
  await distributeDatabase(address, (message) => said.push(message));
  expect(said.slice(0, 2)).toEqual([
    "The tables are distributed already",
    "Functions: on every node",
  ]);
  expect(await countShards()).toBe(0);
  await sql`
    select citus_rebalance_start(rebalance_strategy => 'by_shard_count', shard_transfer_mode => 'force_logical')`;
  await sql`select citus_rebalance_wait()`;
  expect(await countShards()).toBeGreaterThan(0);
  for (const { pointSystemId } of worlds) {
    const { port } = await findShard(sql, pointSystemId);
    if (port !== added.port) await moveShard(sql, pointSystemId, added.port);
  }
  await sleep(1_000);
  await load.stop();
  clearInterval(folds);

  expect((await (await scene()).fire()).status).toBe(200);
  await expectExact(sql, worlds, load.books);
  console.log(
    `${load.count()} credits were acknowledged, ${load.countRefused()} calls were refused`,
  );
  expect((await verifyLedger()).differences).toEqual([]);
  await sql.end();
});
