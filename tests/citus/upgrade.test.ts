import { rmSync } from "node:fs";
import { readMigrationFiles } from "drizzle-orm/migrator";
import postgres from "postgres";
import { beforeAll, expect, inject, test } from "vitest";
import { readDatabaseFunctions } from "../../app/db/apply-functions";
import { distributeDatabase } from "../../app/db/citus/distribute";
import { DISTRIBUTED_TABLES } from "../../app/db/citus/tables";
import { closeDatabase } from "../../app/db/client";
import { migrateDatabase } from "../../app/db/migrations";
import { commandDatabase, prepareDatabase } from "../../app/db/open";
import type { DatabaseAddress } from "../../app/db/pool";
import { loadFixture } from "../../app/services/fixture/load-fixture";
import { verifyLedger } from "../../app/services/ledger/verify";
import build from "../setup/build";
import { SHARDS, toUrl } from "../support/citus";
import { reopenDatabase, useNewDatabase } from "../support/citus-database";
import { declareSafe, installNext } from "../support/next-release";
import { scene } from "../support/scene";
import { cleanUps } from "../support/seeded-server";
import {
  createDataDir,
  fireOverHttp,
  SMALL_FIXTURE,
  startServerProcess,
} from "../support/server-process";

beforeAll(build, 240_000);

const MIGRATIONS = "drizzle/migrations";
const FUNCTION = "app/db/functions/credit_points.sql";
const GUARD = "app/db/functions/guards/refuse_point_event_change.sql";
const NEXT = {
  [`${MIGRATIONS}/9999_next.sql`]: () =>
    `ALTER TABLE "wallets" ADD COLUMN "of_next" text DEFAULT 'yes' NOT NULL;--> statement-breakpoint
update wallets set of_next = 'filled' where points > 0;`,
  [`${MIGRATIONS}/meta/_journal.json`]: (text: string) => {
    const journal = JSON.parse(text);
    const entry = { idx: 9999, version: "7", when: 4e12, tag: "9999_next", breakpoints: true };
    return JSON.stringify({ ...journal, entries: [...journal.entries, entry] });
  },
  [FUNCTION]: (text: string) =>
    text.replace("\nbegin\n", "\nbegin\n  perform 'the next release';\n"),
  [GUARD]: (text: string) => text.replace("is append-only", "only grows"),
  "app/db/citus/shard/read_standing.sql": (text: string) =>
    text.replace("(system uuid, wallet bytea)", "(system uuid, wallet bytea, more int default 1)"),
};

const connect = (address: DatabaseAddress) =>
  postgres({ ...(address as object), max: 1, onnotice: () => {} });

/** Counts on all workers what a query counts on one. */
async function addUpWorkers(address: DatabaseAddress, query: string): Promise<number> {
  let sum = 0;
  for (const worker of inject("workers")) {
    const sql = connect({ ...(address as object), ...worker });
    const [row] = await sql.unsafe<{ count: number }[]>(query);
    sum += row?.count ?? 0;
    await sql.end();
  }
  return sum;
}

test("the next release's start brings tables and functions of all shards up to date", async () => {
  const address = await useNewDatabase();
  await loadFixture(SMALL_FIXTURE.file);
  await closeDatabase();
  await distributeDatabase(address, () => {});
  const dataDir = await createDataDir({ isEmpty: true });
  cleanUps.push(async () => rmSync(dataDir, { recursive: true, force: true }));
  const env = { DATABASE_URL: toUrl(address) };
  const before = await startServerProcess({ dataDir, env });
  cleanUps.push(() => before.end("SIGTERM"));
  expect((await fireOverHttp(before.url, SMALL_FIXTURE.wallet)).status).toBe(200);
  // Beside a process that serves, also what is safe on plain PostgreSQL is not.
  const functions = readDatabaseFunctions().map((each) =>
    FUNCTION.endsWith(`/${each.name}.sql`) ? { ...each, text: declareSafe(each.text) } : each,
  );
  const schema = { migrations: readMigrationFiles({ migrationsFolder: MIGRATIONS }), functions };
  await expect(migrateDatabase(address, { schema, waitMs: 0 })).rejects.toThrow(/Stop them all/);
  expect((await fireOverHttp(before.url, SMALL_FIXTURE.wallet)).status).toBe(200);
  await before.end("SIGTERM");

  const folder = await installNext(NEXT);
  const next = await startServerProcess({ dataDir, folder, env });
  cleanUps.push(() => next.end("SIGTERM"));
  expect((await fireOverHttp(next.url, SMALL_FIXTURE.wallet)).status).toBe(200);
  const columns = `select count(*)::int from pg_attribute
    where attname = 'of_next' and attrelid::regclass::text ~ '^wallets_\\d+$'`;
  expect(await addUpWorkers(address, columns)).toBe(SHARDS);
  const countFunctions = (text: string) => `select count(*)::int from pg_proc
    where pronamespace::regnamespace::text like 'shard\\_%' and ${text}`;
  expect(await addUpWorkers(address, countFunctions("prosrc like '%the next release%'"))).toBe(
    SHARDS * inject("workers").length,
  );
  expect(await addUpWorkers(address, countFunctions("'more' = any(proargnames)"))).toBe(
    SHARDS * inject("workers").length,
  );
  const standing = await fetch(`${next.url}/points?address=${SMALL_FIXTURE.wallet}`, {
    headers: { Authorization: `Bearer ${SMALL_FIXTURE.token}` },
  });
  expect(standing.status).toBe(200);
  const sql = connect(address);
  expect(await sql`select of_next from wallets`).toEqual([{ of_next: "filled" }]);
  await expect(sql`update point_events set points = 1`).rejects.toThrow("only grows");
  await sql.end();
  await next.end("SIGTERM");
  await reopenDatabase(address);
  const { differences, events } = await verifyLedger();
  expect({ differences, events }).toMatchObject({ differences: [], events: 4 });
});

test("a database that was distributed by an earlier schema gets the tables that came since, on the shards", async () => {
  const address = await useNewDatabase({ isMigrated: false });
  await closeDatabase();
  const migrations = readMigrationFiles({ migrationsFolder: MIGRATIONS }).slice(0, 29);
  const names = readDatabaseFunctions().filter(({ name }) => name.startsWith("refuse_"));
  await migrateDatabase(address, { schema: { migrations, functions: names } });
  await distributeDatabase(address, () => {});
  const sql = connect(address);
  const countPlaced = async () => {
    const rows = await sql<{ name: string }[]>`
      select table_name::text as name from citus_tables where citus_table_type = 'distributed'`;
    return rows.filter(({ name }) => (DISTRIBUTED_TABLES as readonly string[]).includes(name))
      .length;
  };
  expect(await countPlaced()).toBeLessThan(DISTRIBUTED_TABLES.length);
  await sql`
    insert into refused_calls (point_system_id, hour, code, calls)
    values ('22222222-2222-4222-8222-222222222222', '2026-11-02 10:00Z', 'trigger_cap_reached', 7)`;

  const { release } = await prepareDatabase(
    commandDatabase({ DATABASE_URL: toUrl(address), DATA_DIR: "nowhere" }, () => {}),
  );
  await release();
  expect(await countPlaced()).toBe(DISTRIBUTED_TABLES.length);
  expect(await sql`select day::text, capped_calls::int from daily_totals`).toEqual([
    { day: "2026-11-02", capped_calls: 7 },
  ]);
  await sql.end();
  await reopenDatabase(address);
  const { fire, pointsOf, wallet } = await scene();
  expect((await fire()).status).toBe(200);
  expect(await pointsOf(wallet)).toBe(10);
  expect((await verifyLedger()).differences).toEqual([]);
});
