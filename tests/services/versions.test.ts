import { readMigrationFiles } from "drizzle-orm/migrator";
import postgres from "postgres";
import { afterEach, expect, test } from "vitest";
import {
  type DatabaseFunction,
  getChecksum,
  readDatabaseFunctions,
} from "../../app/db/apply-functions";
import { isDatabaseMigrated, migrateDatabase } from "../../app/db/migrations";
import { createReadiness, type Readiness } from "../../app/db/readiness";
import { database, other } from "../support/test-database";

const migrations = readMigrationFiles({ migrationsFolder: "drizzle/migrations" });
const ours = readDatabaseFunctions();
const OTHERS = "Processes of another version serve this database";

let processes: Readiness[] = [];
afterEach(async () => {
  await Promise.all(processes.map(({ close }) => close()));
  processes = [];
  await migrateDatabase(database);
});

/** Does what a process of this version does when it starts to serve. */
async function serve(): Promise<Readiness> {
  const readiness = createReadiness(() => {});
  processes.push(readiness);
  await readiness.begin();
  return readiness;
}

/** Brings the database to another version, which does not wait for others. */
const migrate = (functions: readonly DatabaseFunction[], more: typeof migrations = []) =>
  migrateDatabase(database, {
    schema: { migrations: [...migrations, ...more], functions },
    waitMs: 0,
  });

/** Returns this version's functions with a change to one of them. */
const change = (comment: string) =>
  ours.map((each) =>
    each.name === "board_key" ? { ...each, text: `${each.text}${comment}\n` } : each,
  );
const boardKey = ours.find(({ name }) => name === "board_key")?.text ?? "";
const describeState = async () => [
  ...(await other`select * from drizzle.database_functions order by name`),
  ...(await other`select * from drizzle.served_schemas order by fingerprint`),
  ...(await other`select hash from drizzle.__drizzle_migrations order by id`),
];

test("a version that changes a function waits until no process of the version before serves", async () => {
  const server = await serve();
  const before = await describeState();
  const changed = change("-- another version");
  await expect(migrate(changed)).rejects.toThrow(OTHERS);
  expect(await describeState()).toEqual(before);
  expect(await server.isReady()).toBe(true);
  await server.close();
  await migrate(changed);
  expect(await isDatabaseMigrated()).toBe(false);
  await expect(serve()).rejects.toThrow("The database is of another version");
});

test("a change that says so is made beside the release before, which serves on, but not beside two before", async () => {
  const server = await serve();
  const safe = change(`-- safe beside ${getChecksum(boardKey)}`);
  const added: (typeof migrations)[number] = {
    sql: ["-- safe beside the release before\ncreate table added (id int)"],
    hash: "ad",
    folderMillis: 1,
    bps: true,
  };
  await migrate(safe, [added]);
  expect(await server.isReady()).toBe(true);
  expect(await isDatabaseMigrated()).toBe(true);
  // It may start again as well, and changes nothing then.
  const after = await describeState();
  await migrateDatabase(database);
  await serve();
  expect(await describeState()).toEqual(after);

  const text = safe.find(({ name }) => name === "board_key")?.text ?? "";
  const third = change(`-- safe beside ${getChecksum(text)}`);
  await expect(migrate(third, [added])).rejects.toThrow(OTHERS);
  await Promise.all(processes.map(({ close }) => close()));
  processes = [];
  await migrate(third, [added]);
  expect(await isDatabaseMigrated()).toBe(false);
  await expect(migrateDatabase(database)).rejects.toThrow("There is no way back");
  await other`drop table added`;
  await other`delete from drizzle.__drizzle_migrations where hash = 'ad'`;
});

test.each([
  ["a migration that does not say that it is safe", ours, "create table added (id int)"],
  ["a function that is safe beside another text", change(`-- safe beside ${"0".repeat(64)}`), null],
])("%s is not applied beside others", async (_name, functions, sql) => {
  await serve();
  const more = sql === null ? [] : [{ sql: [sql], hash: "ad", folderMillis: 1, bps: true }];
  await expect(migrate(functions, more)).rejects.toThrow(OTHERS);
});

test("a version beside the release before leaves it the functions that it has no more", async () => {
  const exists = async () =>
    (await other`select to_regproc('count_newly_active') is not null as "exists"`)[0]?.exists;
  const server = await serve();
  const fewer = ours.filter(({ name }) => name !== "count_newly_active");
  await migrate(fewer);
  expect(await exists()).toBe(true);
  expect(await server.isReady()).toBe(true);
  await server.close();
  await migrate(change("-- another version").filter(({ name }) => name !== "count_newly_active"));
  expect(await exists()).toBe(false);
});

test("a process learns that another version has taken the database over", async () => {
  const server = await serve();
  await other`delete from drizzle.served_schemas`;
  await server.outdated;
  expect(await server.isReady()).toBe(false);
});

test("a downgrade is refused in a sentence that names both versions", async () => {
  await other`update drizzle.served_schemas set release = '10.2.0'`;
  await expect(migrate(change("-- an older text"))).rejects.toThrow(/10\.2\.0; this is \d/);
  await other`update drizzle.served_schemas set release = '0.0.9'`;
});

test("a role that may only read and write rows starts on a migrated database, and is told when it is not", async () => {
  const role = `rows_${database.database}`;
  await other.unsafe(`
    create role ${role} login password 'rows';
    grant usage on schema drizzle to ${role};
    grant select on all tables in schema drizzle to ${role}`);
  try {
    const address = { ...database, username: role, password: "rows" };
    await migrateDatabase(address);
    const schema = { migrations, functions: change("-- another version") };
    await expect(migrateDatabase(address, { schema })).rejects.toThrow("Run npm run migrate");
  } finally {
    await other.unsafe(`drop owned by ${role}; drop role ${role}`);
  }
});

test("a database that version 0.1.0 serves is not taken over beside it", async () => {
  await other`drop table drizzle.served_schemas`;
  const first = postgres({
    ...database,
    max: 1,
    connection: { application_name: "points-and-rewards" },
  });
  await first`select 1`;
  await expect(migrate(ours)).rejects.toThrow(OTHERS);
  await first.end();
  await migrate(ours);
  expect(await isDatabaseMigrated()).toBe(true);
});
