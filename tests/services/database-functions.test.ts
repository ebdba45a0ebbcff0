import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { afterAll, expect, test } from "vitest";
import { type DatabaseFunction, readDatabaseFunctions } from "../../app/db/apply-functions";
import { isDatabaseMigrated, migrateDatabase } from "../../app/db/migrations";
import { database, other } from "../support/test-database";

const ours = readDatabaseFunctions();
const migrations = readMigrationFiles({ migrationsFolder: "drizzle/migrations" });
const folder = mkdtempSync(path.join(tmpdir(), "functions-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Brings the database to these functions beside its own. */
function apply(more: readonly DatabaseFunction[]): Promise<void> {
  return migrateDatabase(database, { schema: { migrations, functions: [...ours, ...more] } });
}

const answer = (parameters: string, result: string, value: string): DatabaseFunction => ({
  name: "answer",
  text: `create or replace function answer(${parameters}) returns ${result} language sql as 'select ${value}';`,
});

async function listAnswers(): Promise<string[]> {
  const rows = await other<{ is: string }[]>`
    select concat_ws(' ', pg_get_function_arguments(oid), '->', pg_get_function_result(oid)) as is
    from pg_proc where proname = 'answer' order by 1`;
  return rows.map((row) => row.is);
}

/** When each function was applied. */
const readRecord = async () => [
  ...(await other`select * from drizzle.database_functions order by name`),
];

test("functions are applied when their text changes, and only then", async () => {
  const before = await readRecord();
  expect(before.map(({ name }) => name)).toEqual(ours.map(({ name }) => name).sort());
  const readOthers = async () => (await readRecord()).filter(({ name }) => name !== "answer");
  await apply([answer("n int", "int", "n")]);
  const added = await readRecord();
  expect(added.length).toBe(before.length + 1);
  expect(await readOthers()).toEqual(before);
  await apply([answer("n int", "int", "n")]);
  expect(await readRecord()).toEqual(added);
  await apply([answer("n int", "int", "n + 1")]);
  expect(await readOthers()).toEqual(before);
  expect([...(await other`select answer(1)`)]).toEqual([{ answer: 2 }]);
});

test.each([
  ["another result", answer("n int", "text", "n::text"), "n integer -> text"],
  ["another name of a parameter", answer("m int", "text", "m::text"), "m integer -> text"],
  ["other types of parameters", answer("m bigint", "text", "m::text"), "m bigint -> text"],
  [
    "one more parameter",
    answer("m bigint, o int", "text", "m::text"),
    "m bigint, o integer -> text",
  ],
])("a function with %s takes the place of the one before", async (_name, changed, signature) => {
  await apply([changed]);
  expect(await listAnswers()).toEqual([signature]);
});

test("a function without a file is dropped", async () => {
  await apply([answer("n int", "int", "n")]);
  await apply([]);
  expect(await listAnswers()).toEqual([]);
});

test.each([
  [
    "does not compile",
    "create or replace function broken() returns int language sql as 'select x';",
  ],
  [
    "creates none of its name",
    "create or replace function fixed() returns int language sql as 'select 1';",
  ],
])("a file that %s changes nothing and is named", async (_name, text) => {
  const before = await readRecord();
  await expect(apply([answer("n int", "int", "n"), { name: "broken", text }])).rejects.toThrow(
    "The database's function broken cannot be applied",
  );
  expect(await readRecord()).toEqual(before);
  expect(await listAnswers()).toEqual([]);
  expect([...(await other`select from pg_proc where proname in ('broken', 'fixed')`)]).toEqual([]);
});

test("a function that something else needs is not dropped with it", async () => {
  await apply([answer("n int", "int", "n")]);
  await other`create view answers as select answer(1)`;
  await expect(apply([])).rejects.toThrow(/function answer cannot be applied: cannot drop/);
  await expect(apply([answer("n int", "text", "n::text")])).rejects.toThrow(/cannot drop/);
  expect(await listAnswers()).toEqual(["n integer -> integer"]);
  await other`drop view answers`;
  await apply([]);
});

test("files are applied after those that they call, and a circle is refused", () => {
  const write = (name: string, text: string) =>
    writeFileSync(path.join(folder, `${name}.sql`), text);
  write("a", "create or replace function a() ... select b(), c();");
  write("b", "-- Unlike a(), calls\nselect c (1);");
  write("c", "select 1");
  expect(readDatabaseFunctions(folder).map(({ name }) => name)).toEqual(["c", "b", "a"]);
  write("c", "select a()");
  expect(() => readDatabaseFunctions(folder)).toThrow("in a circle: a, b, c, a");
});

test("a database without one of the functions or migrations is not ready", async () => {
  expect(await isDatabaseMigrated()).toBe(true);
  await other`update drizzle.database_functions set name = 'former' where name = 'board_key'`;
  expect(await isDatabaseMigrated()).toBe(false);
  await other`update drizzle.database_functions set name = 'board_key' where name = 'former'`;
  await other`update drizzle.__drizzle_migrations set hash = '00' || hash`;
  expect(await isDatabaseMigrated()).toBe(false);
});
