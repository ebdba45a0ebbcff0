import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { distributeDatabase } from "../../app/db/citus/distribute";
import { closeDatabase, withDatabase } from "../../app/db/client";
import { rebuildRanks } from "../../app/services/board/rank-counts";
import { loadFixture } from "../../app/services/fixture/load-fixture";
import { verifyLedger } from "../../app/services/ledger/verify";
import { runOn } from "../support/citus";
import { reopenDatabase, useNewDatabase } from "../support/citus-database";
import { createAddress, scene } from "../support/scene";

test("a filled database keeps every point, rank and board when it is distributed, and credits go on", async () => {
  const address = await useNewDatabase();
  const wallets = Array.from({ length: 40 }, createAddress);
  const worlds: Awaited<ReturnType<typeof scene>>[] = [];
  for (let n = 0; n < 6; n += 1) {
    const world = await scene({
      events: wallets.map((wallet, i) => ({ address: wallet, points: 1 + ((i * 7 + n) % 13) })),
      blacklist: [{ address: wallets[3] as string }],
    });
    await loadFixture({
      pointSystems: [
        {
          ...{ operator: world.operator, id: world.pointSystemId, name: "Alpha", slug: null },
          boards: [{ kind: "weekly", name: "This week" }],
        },
      ],
    });
    await rebuildRanks(world.pointSystemId);
    worlds.push(world);
  }
  const boards = (query: Record<string, string> = {}) =>
    Promise.all(
      worlds.map(
        async (world) => (await world.get("/leaderboard", { limit: "50", ...query })).body,
      ),
    );
  const before = [await boards(), await boards({ board: "weekly" })];

  await closeDatabase();
  const said: string[] = [];
  await distributeDatabase(address, (message) => said.push(message));
  expect(said.join("\n")).toMatch(/By point systems: point_events, 240 rows/);
  await reopenDatabase(address);
  expect([await boards(), await boards({ board: "weekly" })]).toEqual(before);

  for (const world of worlds) expect((await world.fire()).status).toBe(200);
  const { differences, pointSystems } = await verifyLedger();
  expect({ differences, pointSystems }).toEqual({ differences: [], pointSystems: 6 });

  await closeDatabase();
  const again: string[] = [];
  await distributeDatabase(address, (message) => again.push(message));
  expect(again.slice(0, 2)).toEqual([
    "The tables are distributed already",
    "The functions are there already",
  ]);
  await reopenDatabase(address);
  expect((await verifyLedger()).differences).toEqual([]);
});

test("a database without Citus is refused in a sentence, and stays as it is", async () => {
  const address = await useNewDatabase({
    make: (nodes, name) => runOn(nodes.slice(0, 1), "postgres", `create database ${name}`),
  });
  await closeDatabase();
  await expect(distributeDatabase(address, () => {})).rejects.toThrow(
    /^The database has no Citus\. Install it/,
  );
  await reopenDatabase(address);
  const [{ tables } = { tables: 0 }] = await withDatabase((db) =>
    db.execute<{ tables: number }>(sql`
      select count(*)::int as tables from pg_tables where tablename like 'shard%'`),
  );
  expect(tables).toBe(0);
});

test("a database that the service uses is not distributed", async () => {
  const address = await useNewDatabase();
  await withDatabase((db) => db.execute(sql`select 1`));
  await expect(distributeDatabase(address, () => {})).rejects.toThrow(/Stop them all/);
});
