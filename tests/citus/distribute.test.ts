import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { expect, inject, onTestFinished, test } from "vitest";
import { distributeDatabase } from "../../app/db/citus/distribute";
import {
  closeDatabase,
  type DatabaseAddress,
  openDatabase,
  withDatabase,
} from "../../app/db/client";
import { migrateDatabase } from "../../app/db/migrations";
import { rebuildRanks } from "../../app/services/board/rank-counts";
import { loadFixture } from "../../app/services/fixture/load-fixture";
import { verifyLedger } from "../../app/services/ledger/verify";
import { createCitusDatabase, runOn } from "../support/citus";
import { createAddress, scene } from "../support/scene";
import { database } from "../support/test-database";

const nodes = [inject("cluster"), ...inject("workers")];
const limits = { connectionsMax: 10, statementTimeoutMs: 30_000, deadlineMs: 30_000 };

/** Creates an empty database, with Citus or without, and uses it in place of the test file's. */
async function useNewDatabase(make: (name: string) => Promise<void>): Promise<DatabaseAddress> {
  const name = `distribute_${randomBytes(6).toString("hex")}`;
  await make(name);
  const address = { ...nodes[0], database: name } as DatabaseAddress;
  await closeDatabase();
  openDatabase({ address, ...limits });
  onTestFinished(async () => {
    await closeDatabase();
    openDatabase({ address: database as DatabaseAddress, ...limits });
    await runOn(nodes, "postgres", `drop database if exists ${name} with (force)`);
  });
  await migrateDatabase(address);
  return address;
}

async function reopen(address: DatabaseAddress): Promise<void> {
  await closeDatabase();
  openDatabase({ address, ...limits });
}

test("a filled database keeps every point, rank and board when it is distributed, and credits go on", async () => {
  const address = await useNewDatabase((name) => createCitusDatabase(nodes, name));
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
  openDatabase({ address, ...limits });
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
  await reopen(address);
  expect((await verifyLedger()).differences).toEqual([]);
});

test("a database without Citus is refused in a sentence, and stays as it is", async () => {
  const address = await useNewDatabase((name) =>
    runOn([nodes[0] as (typeof nodes)[number]], "postgres", `create database ${name}`),
  );
  await closeDatabase();
  await expect(distributeDatabase(address, () => {})).rejects.toThrow(
    /^The database has no Citus\. Install it/,
  );
  await reopen(address);
  const [{ tables } = { tables: 0 }] = await withDatabase((db) =>
    db.execute<{ tables: number }>(sql`
      select count(*)::int as tables from pg_tables where tablename like 'shard%'`),
  );
  expect(tables).toBe(0);
});

test("a database that the service uses is not distributed", async () => {
  const address = await useNewDatabase((name) => createCitusDatabase(nodes, name));
  await withDatabase((db) => db.execute(sql`select 1`));
  await expect(distributeDatabase(address, () => {})).rejects.toThrow(/Stop them all/);
});
