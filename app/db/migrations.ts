import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { type MigrationMeta, readMigrationFiles } from "drizzle-orm/migrator";
import type { Sql, TransactionSql } from "postgres";
import { RELEASE } from "../process/release";
import {
  applyDatabaseFunctions,
  readAppliedFunctions,
  readDatabaseFunctions,
} from "./apply-functions";
import { toArrayLiteral } from "./array-literal";
import { FUNCTIONS_BEFORE_BASELINE, MIGRATIONS_BEFORE_BASELINE } from "./before-baseline";
import { applyStatement, beginMigrations, isDistributed } from "./citus/placement";
import { type Executor, withDatabase } from "./client";
import { ReadOnlyError } from "./errors";
import { type DatabaseAddress, withConnectionTo } from "./pool";
import {
  createServedSchemas,
  getFingerprint,
  isFunctionSafeBeside,
  isOlder,
  isSafeBeside,
  isServed,
  listServedSchemas,
  listServing,
  OthersServe,
  recordSchema,
  refuseBesideFirstRelease,
  type Schema,
} from "./served-schemas";

const MIGRATIONS_FOLDER = path.resolve("drizzle/migrations");
/** Any number, the same for every instance. */
const MIGRATION_LOCK = 7_014_021;

/** The time that a start waits for processes of another version to end. */
const OTHERS_WAIT_MS = 30_000;
const LOOK_EVERY_MS = 500;
const OTHERS_SERVE =
  "Processes of another version serve this database, which this version cannot do beside them. Stop them all, and start this one again.";
const SCHEMA_HIDDEN =
  "PostgreSQL at DATABASE_URL looks for tables elsewhere than in the schema public. Reset search_path of the role and of the database.";
const TRANSACTIONS_CUT =
  "PostgreSQL at DATABASE_URL ends transactions that take long, such as a migration's. Set transaction_timeout of the role, of the database and of the server to 0, or to an hour at least.";
const HOUR_MS = 3_600_000;
const NO_PRIVILEGE = "42501";

let needed: Schema | undefined;
let fingerprint: string | undefined;

/** Answers the schema that this code needs; its files are read once. */
function readSchema(): Schema {
  needed ??= {
    migrations: readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER }),
    functions: readDatabaseFunctions(),
  };
  return needed;
}

export interface MigrationOptions {
  readonly schema?: Schema;
  /** Is told when processes of another version have to end first. */
  readonly log?: (message: string) => void;
  /** The time that it waits for them. */
  readonly waitMs?: number;
}

/**
 * Brings the schema and the functions up to date, in one transaction; instances that start together take turns.
 * Changes nothing where this schema may serve already.
 * @throws {Error} when they cannot be applied, or this version must not touch the database: nothing is changed
 */
export async function migrateDatabase(
  address: DatabaseAddress,
  { schema = readSchema(), log = () => {}, waitMs = OTHERS_WAIT_MS }: MigrationOptions = {},
): Promise<void> {
  const givesUpAt = Date.now() + waitMs;
  await withConnectionTo(address, async (pool) => {
    const [access] = await pool<
      { isReadOnly: boolean; findsTables: boolean; cutsTransactions: boolean }[]
    >`
      select current_setting('transaction_read_only')::boolean as "isReadOnly",
      exists (
        select from pg_settings
        where name = 'transaction_timeout' and setting::int between 1 and ${HOUR_MS - 1}
      ) as "cutsTransactions", coalesce(
        case when to_regclass('public.point_systems') is null then current_schema() = 'public'
        else to_regclass('point_systems') = to_regclass('public.point_systems') end, false
      ) as "findsTables"`;
    if (access?.isReadOnly) throw new ReadOnlyError();
    if (!access?.findsTables) throw new Error(SCHEMA_HIDDEN);
    if (access.cutsTransactions) throw new Error(TRANSACTIONS_CUT);
    for (let isTold = false; !(await migrateOnce(pool, schema)); isTold = true) {
      if (Date.now() >= givesUpAt) throw new Error(OTHERS_SERVE);
      if (!isTold) log("Waiting for processes of another version to end");
      await sleep(LOOK_EVERY_MS);
    }
  });
}

/** Returns false while processes serve that could not do so any more. */
async function migrateOnce(pool: Sql, schema: Schema): Promise<boolean> {
  const fingerprint = getFingerprint(schema);
  if (await isServed(pool, fingerprint)) return true;
  try {
    await pool.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK})`;
      if (await isServed(tx, fingerprint)) return;
      const isBeside = await applyMigrations(tx, schema);
      await applyDatabaseFunctions(tx, schema.functions, isBeside);
      await recordSchema(tx, fingerprint, isBeside);
    });
    return true;
  } catch (error) {
    if (error instanceof OthersServe) return false;
    if ((error as { code?: string }).code !== NO_PRIVILEGE) throw error;
    const { message } = error as Error;
    throw new Error(
      `The database is not of this version, and its role may not change that (${message}). Run npm run migrate with the role that owns the tables.`,
      { cause: error },
    );
  }
}

/**
 * Returns whether processes of the schema before serve on.
 * @throws {OthersServe} when processes serve that could not do so any more
 */
async function applyMigrations(
  tx: TransactionSql,
  { migrations, functions }: Schema,
): Promise<boolean> {
  // As Drizzle makes it.
  await tx`create schema if not exists drizzle`;
  await tx`create table if not exists drizzle.__drizzle_migrations (
    id serial primary key, hash text not null, created_at bigint
  )`;
  await tx`create table if not exists drizzle.database_functions (
    name text primary key, checksum text not null, applied_at timestamptz not null default now()
  )`;
  await createServedSchemas(tx);
  const [baseline] = migrations;
  if (baseline && isSame(await readHistory(tx), MIGRATIONS_BEFORE_BASELINE)) {
    await replaceHistory(tx, baseline);
  }
  const history = await readHistory(tx);
  const current = (await listServedSchemas(tx)).find(({ isCurrent }) => isCurrent);
  await refuseForeign(tx, history, migrations, current?.release);
  if (history.length > 0 && !current) await refuseBesideFirstRelease(tx);
  const pending = migrations.slice(history.length);
  const applied = await readAppliedFunctions(tx);
  const serving = await listServing(tx);
  const isOnCitus = await isDistributed(tx);
  const isSafe =
    // The coordinator's functions are those of one shard for a moment.
    !isOnCitus &&
    serving.every(({ isCurrent }) => isCurrent) &&
    pending.every(isSafeBeside) &&
    functions.every(({ name, text }) => isFunctionSafeBeside(text, applied.get(name)));
  if (serving.length > 0 && !isSafe) throw new OthersServe();
  if (isOnCitus) await beginMigrations(tx);
  for (const migration of pending) {
    for (const statement of migration.sql) {
      await (isOnCitus ? applyStatement(tx, statement) : tx.unsafe(statement));
    }
    await record(tx, migration);
  }
  return serving.length > 0;
}

/** Checks whether a database has the tables of this service. */
async function isOurs(db: Sql | TransactionSql): Promise<boolean> {
  const [row] = await db<{ isOurs: boolean }[]>`
    select to_regclass('public.point_systems') is not null as "isOurs"`;
  return row?.isOurs ?? false;
}

/** Checks whether a database has nothing of this service yet. */
export async function isEmpty(address: DatabaseAddress): Promise<boolean> {
  return withConnectionTo(address, async (pool) => !(await isOurs(pool)));
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
  // Their text is not known: each is replaced or dropped.
  for (const name of FUNCTIONS_BEFORE_BASELINE) {
    await tx`insert into drizzle.database_functions (name, checksum) values (${name}, '')`;
  }
}

/** @throws {Error} when the database's history is not the beginning of this code's */
async function refuseForeign(
  tx: TransactionSql,
  history: readonly string[],
  migrations: readonly MigrationMeta[],
  release: string | undefined,
): Promise<void> {
  if (release !== undefined && isOlder(RELEASE, release)) throw new Error(describeNewer(release));
  if (history.length === 0) {
    if (!(await isOurs(tx))) return;
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
  throw new Error(describeNewer(release));
}

function describeNewer(release: string | undefined): string {
  const version = release === undefined ? "" : ` (${release}; this is ${RELEASE})`;
  return `The database was made by a newer version, or by another one${version}. There is no way back: start the version that made it, or restore a backup of this one.`;
}

/** Returns the fingerprint of the schema that this code needs. */
export function getOwnFingerprint(): string {
  fingerprint ??= getFingerprint(readSchema());
  return fingerprint;
}

/**
 * Checks whether the database is there, has every migration and function that this code needs, and lets this code
 * serve.
 * @param executor another connection than the pool's
 */
export async function isDatabaseMigrated(executor?: Executor): Promise<boolean> {
  const { migrations, functions } = readSchema();
  const hashes = toArrayLiteral(migrations.map(({ hash }) => hash));
  const names = toArrayLiteral(functions.map(({ name }) => name));
  const count = (db: Executor) =>
    db.execute<{ migrations: number; functions: number; isServed: boolean }>(sql`
      select (
        select count(*)::int from drizzle.__drizzle_migrations where hash = any(${hashes}::text[])
      ) as migrations, (
        select count(*)::int from drizzle.database_functions where name = any(${names}::text[])
      ) as functions, exists (
        select from drizzle.served_schemas where fingerprint = ${getOwnFingerprint()}
      ) as "isServed"`);
  const [row] = await (executor ? count(executor) : withDatabase(count));
  return (
    row?.isServed === true &&
    row.migrations === migrations.length &&
    row.functions === functions.length
  );
}

/** @throws {Error} when the database is empty, or of a version that this code may not serve */
export async function refuseOtherSchema(db: Sql): Promise<void> {
  if (await isServed(db, getOwnFingerprint())) return;
  if (!(await isOurs(db))) {
    throw new Error(
      "The database is empty. Check DATABASE_URL and DATA_DIR; npm run migrate prepares a new one.",
    );
  }
  const current = (await listServedSchemas(db)).find(({ isCurrent }) => isCurrent);
  const release = current?.release ?? "an earlier one";
  throw new Error(
    `The database is of another version (${release}; this is ${RELEASE}). If it is older, run npm run migrate or start this version once. If it is newer, use that version's commands.`,
  );
}
