import fs from "node:fs/promises";
import { sql } from "drizzle-orm";
import postgres, { type Sql } from "postgres";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { closeDatabase, openDatabase, withDatabase } from "../../app/db/client";
import { type EmbeddedCluster, holdEmbeddedCluster } from "../../app/db/embedded/cluster";
import { ownsLedger } from "../../app/db/ledger-owner";
import { commandDatabase, openCurrentDatabase, openMigratedDatabase } from "../../app/db/open";
import type { DatabaseAddress } from "../../app/db/pool";
import { admitService } from "../../app/db/service-role";
import { foldActivity } from "../../app/services/activity/activity-fold";
import { foldRanks } from "../../app/services/board/rank-counts";
import { foldProgram } from "../../app/services/insights/program-fold";
import { foldPointSystem } from "../../app/services/insights/statistics-fold";
import { cleanUps } from "../support/seeded-server";
import {
  createDataDir,
  fireOverHttp,
  runCommand,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
  withDatabaseOf,
} from "../support/server-process";
import { expectLedgerOutOfReach } from "../support/service-role";
import { database } from "../support/test-database";

// The embedded database's two roles. Each test begins with a cluster as earlier versions made it: with one role.

let dataDir: string;
let cluster: EmbeddedCluster;
let owner: Sql;

// The shared database of this run is another one.
beforeAll(() => closeDatabase());
afterAll(() => {
  openDatabase({
    ...{ address: database as DatabaseAddress, connectionsMax: 10 },
    ...{ statementTimeoutMs: 5_000, deadlineMs: 5_000 },
  });
});

beforeEach(async () => {
  dataDir = await createDataDir();
  cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
  cluster = await holdEmbeddedCluster({ dataDir });
  cleanUps.push(() => cluster.release());
  owner = postgres({ ...cluster.connection, max: 1, onnotice: () => {} });
  cleanUps.push(() => owner.end());
  await dropRole();
});
async function dropRole(): Promise<void> {
  await owner`drop owned by points_service`;
  await owner`drop role points_service`;
}

const options = () => commandDatabase({ DATA_DIR: dataDir }, () => {});

/** Lists what the role owns: tables, functions, types and schemas. */
const listOwned = () => owner`
  select s.classid::regclass as kind, s.objid from pg_shdepend s
  join pg_roles r on r.oid = s.refobjid and s.refclassid = 'pg_authid'::regclass
  where r.rolname = 'points_service' and s.deptype = 'o'`;

test("a database with one role is taken over: its server's connections are a role's that owns nothing", async () => {
  await seed(dataDir, SMALL_FIXTURE.file);
  const server = await startServerProcess({ dataDir });
  cleanUps.push(() => server.end("SIGTERM"));
  expect((await fireOverHttp(server.url, SMALL_FIXTURE.wallet)).status).toBe(200);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  const roles = await owner`
    select distinct usename from pg_stat_activity where application_name like 'points-and-rewards/%'`;
  expect(roles).toEqual([{ usename: "points_service" }]);
  expect(await listOwned()).toEqual([]);
});

test("the connection that serves cannot drop, alter, truncate, or disable triggers of the ledger", async () => {
  const close = await openMigratedDatabase(options());
  try {
    expect(await ownsLedger()).toBe(false);
    await expectLedgerOutOfReach();
  } finally {
    await close();
  }
});

test("processes that start together take a database over once, and so does a command before any server", async () => {
  const addresses = await Promise.all([1, 2, 3].map(() => admitService(cluster.connection)));
  expect(new Set(addresses.map((each) => JSON.stringify(each))).size).toBe(1);
  await dropRole();
  const close = await openCurrentDatabase(options());
  const [row] = await withDatabase((db) => db.execute(sql`select current_user as role`));
  await close();
  expect(row).toEqual({ role: "points_service" });
});

test("the rights are given again after a new schema, and left alone by a release beside a newer one", async () => {
  await admitService(cluster.connection);
  const canDelete = async () => {
    const [row] = await owner`
      select has_table_privilege('points_service', 'point_events', 'delete') as "may"`;
    return row?.may;
  };
  await owner`grant delete on point_events to points_service`;
  await admitService(cluster.connection);
  expect(await canDelete()).toBe(true);
  await owner`comment on schema drizzle is 'of an earlier schema'`;
  await owner`update drizzle.served_schemas set is_current = false`;
  await owner`
    insert into drizzle.served_schemas (fingerprint, release, is_current)
    values ('newer', '9.0.0', true)`;
  await admitService(cluster.connection);
  expect(await canDelete()).toBe(true);
  await owner`delete from drizzle.served_schemas where fingerprint = 'newer'`;
  await owner`update drizzle.served_schemas set is_current = true`;
  await admitService(cluster.connection);
  expect(await canDelete()).toBe(false);
});

test("ledger:archive removes events of the embedded database, with the owner's role", async () => {
  const { file, wallet, pointSystemId } = SMALL_FIXTURE;
  const old = { address: wallet, points: 5, event: null, date: "2025-01-01T00:00:00Z" };
  await seed(dataDir, {
    ...file,
    pointSystems: file.pointSystems.map((system) => ({
      ...system,
      events: [old, ...system.events],
    })),
  });
  // An event stays until ranks and statistics have counted it.
  await withDatabaseOf(dataDir, async () => {
    while ((await foldRanks(pointSystemId, 100)) > 0);
    while ((await foldActivity(pointSystemId, 100, 10)) > 0);
    while ((await foldPointSystem(pointSystemId, 100)) > 0);
    while ((await foldProgram(pointSystemId, 100)) > 0);
  });
  const args = ["ledger-archive", "--before", "2025-06-01"];
  const { stdout } = await runCommand(args, { DATA_DIR: dataDir });
  expect(stdout).toContain("1 events have left the ledger");
});
