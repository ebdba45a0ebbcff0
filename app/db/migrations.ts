import path from "node:path";
import { sql } from "drizzle-orm";
import { type MigrationMeta, readMigrationFiles } from "drizzle-orm/migrator";
import type { TransactionSql } from "postgres";
import {
  applyDatabaseFunctions,
  type DatabaseFunction,
  readDatabaseFunctions,
} from "./apply-functions";
import { toArrayLiteral } from "./array-literal";
import { FUNCTIONS_BEFORE_BASELINE, MIGRATIONS_BEFORE_BASELINE } from "./before-baseline";
import { createPool, type DatabaseAddress, type Executor, withDatabase } from "./client";

const MIGRATIONS_FOLDER = path.resolve("drizzle/migrations");
/** Any number, the same for every instance. */
const MIGRATION_LOCK = 7_014_021;

interface Schema {
  readonly migrations: readonly MigrationMeta[];
  readonly functions: readonly DatabaseFunction[];
}

let needed: Schema | undefined;

/** Answers the schema that this code needs; its files are read once. */
function readSchema(): Schema {
  needed ??= {
    migrations: readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER }),
    functions: readDatabaseFunctions(),
  };
  return needed;
}

/**
 * Brings the schema and the functions up to date, in one transaction; instances that start together take turns.
 * @throws {Error} when they cannot be applied, or this version must not touch the database: nothing is changed
 */
export async function migrateDatabase(
  address: DatabaseAddress,
  { migrations, functions } = readSchema(),
): Promise<void> {
  const pool = createPool({ address, connectionsMax: 1, statementTimeoutMs: 0, deadlineMs: 0 });
  try {
    await pool`select pg_advisory_lock(${MIGRATION_LOCK})`;
    await pool.begin(async (tx) => {
      await applyMigrations(tx, migrations);
      await applyDatabaseFunctions(tx, functions);
    });
  } finally {
    await pool.end({ timeout: 5 });
  }
}

async function applyMigrations(
  tx: TransactionSql,
  migrations: readonly MigrationMeta[],
): Promise<void> {
  // As Drizzle makes it.
  await tx`create schema if not exists drizzle`;
  await tx`create table if not exists drizzle.__drizzle_migrations (
    id serial primary key, hash text not null, created_at bigint
  )`;
  await tx`create table if not exists drizzle.database_functions (
    name text primary key, checksum text not null, applied_at timestamptz not null default now()
  )`;
  const [baseline] = migrations;
  if (baseline && isSame(await readHistory(tx), MIGRATIONS_BEFORE_BASELINE)) {
    await replaceHistory(tx, baseline);
  }
  const history = await readHistory(tx);
  await refuseForeign(tx, history, migrations);
  for (const migration of migrations.slice(history.length)) {
    for (const statement of migration.sql) await tx.unsafe(statement);
    await record(tx, migration);
  }
}

async function readHistory(tx: TransactionSql): Promise<string[]> {
  const rows = await tx<{ hash: string }[]>`
    select hash from drizzle.__drizzle_migrations order by id`;
  return rows.map((row) => row.hash);
}

function isSame(hashes: readonly string[], others: readonly string[]): boolean {
  return hashes.length === others.length && hashes.every((hash, i) => hash === others[i]);
}

async function record(tx: TransactionSql, { hash, folderMillis }: MigrationMeta): Promise<void> {
  await tx`
    insert into drizzle.__drizzle_migrations (hash, created_at) values (${hash}, ${folderMillis})`;
}

/** Takes over a database whose schema is the baseline's, with everything in it. */
async function replaceHistory(tx: TransactionSql, baseline: MigrationMeta): Promise<void> {
  await tx`delete from drizzle.__drizzle_migrations`;
  await record(tx, baseline);
  // Of no known text: each is replaced or dropped.
  for (const name of FUNCTIONS_BEFORE_BASELINE) {
    await tx`insert into drizzle.database_functions (name, checksum) values (${name}, '')`;
  }
}

/** @throws {Error} when the database's history is not the beginning of this code's */
async function refuseForeign(
  tx: TransactionSql,
  history: readonly string[],
  migrations: readonly MigrationMeta[],
): Promise<void> {
  if (history.length === 0) {
    const [row] = await tx<{ isOurs: boolean }[]>`
      select to_regclass('public.point_systems') is not null as "isOurs"`;
    if (!row?.isOurs) return;
    throw new Error(
      "The database has tables of this service but no record of its version. Restore a complete backup, or use an empty database.",
    );
  }
  if (history.every((hash, i) => hash === migrations[i]?.hash)) return;
  if (isSame(history, MIGRATIONS_BEFORE_BASELINE.slice(0, history.length))) {
    throw new Error(
      "The database was made by an older version. Start commit c493280 with it once, which brings it up to date, and then start this version.",
    );
  }
  throw new Error(
    "The database was made by a newer version, or by another one. Start the version that made it, or use another database.",
  );
}

/**
 * Checks whether the database is there and has every migration and function that this code needs.
 * @param executor another connection than the pool's
 */
export async function isDatabaseMigrated(executor?: Executor): Promise<boolean> {
  const { migrations, functions } = readSchema();
  const hashes = toArrayLiteral(migrations.map(({ hash }) => hash));
  const names = toArrayLiteral(functions.map(({ name }) => name));
  const count = (db: Executor) =>
    db.execute<{ migrations: number; functions: number }>(sql`
      select (
        select count(*)::int from drizzle.__drizzle_migrations where hash = any(${hashes}::text[])
      ) as migrations, (
        select count(*)::int from drizzle.database_functions where name = any(${names}::text[])
      ) as functions`);
  const [row] = await (executor ? count(executor) : withDatabase(count));
  return row?.migrations === migrations.length && row.functions === functions.length;
}
