import { createHash } from "node:crypto";
import type { MigrationMeta } from "drizzle-orm/migrator";
import type { Sql, TransactionSql } from "postgres";
import { RELEASE } from "../process/release";
import { type DatabaseFunction, getChecksum } from "./apply-functions";

// drizzle.served_schemas, the version rows of a database: the schemas whose processes may serve now. One is the
// database's own. A second is that of the release before, while both may serve (docs/decisions/057).

/** The first half of the locks that processes hold while they serve; the second names their schema. */
const SERVED_LOCK = 7_014_023;
/** The name of the connections of version 0.1.0, whose processes hold no lock. */
const FIRST_RELEASE_NAME = "points-and-rewards";

/** The tables and functions that a release of this code needs. */
export interface Schema {
  readonly migrations: readonly MigrationMeta[];
  readonly functions: readonly DatabaseFunction[];
}

/** Names a schema by its contents. */
export function getFingerprint({ migrations, functions }: Schema): string {
  const hash = createHash("sha256");
  for (const migration of migrations) hash.update(migration.hash);
  for (const { name, text } of functions) hash.update(name).update(getChecksum(text));
  return hash.digest("hex");
}

const getLockKey = (fingerprint: string) => Buffer.from(fingerprint, "hex").readInt32BE(0);

/** Holds a schema until the session's end: no migration ends its service meanwhile. */
export async function holdSchema(db: Sql, fingerprint: string): Promise<void> {
  await db`select pg_try_advisory_lock_shared(${SERVED_LOCK}, ${getLockKey(fingerprint)})`;
}

/** Reports that processes of another schema serve, so that this one cannot take its place now. */
export class OthersServe extends Error {}

/** A row of the table. */
interface ServedSchema {
  readonly fingerprint: string;
  readonly release: string;
  readonly isCurrent: boolean;
}

/** Creates the table where there is none. */
export async function createServedSchemas(tx: TransactionSql): Promise<void> {
  await tx`create table if not exists drizzle.served_schemas (
    fingerprint text primary key, release text not null, is_current boolean not null,
    since timestamptz not null default now()
  )`;
}

/** Lists the schemas that may serve; none for a database without the table. */
export async function listServedSchemas(db: Sql | TransactionSql): Promise<ServedSchema[]> {
  const [found] = await db<{ isThere: boolean }[]>`
    select to_regclass('drizzle.served_schemas') is not null as "isThere"`;
  if (!found?.isThere) return [];
  return db<ServedSchema[]>`
    select fingerprint, release, is_current as "isCurrent" from drizzle.served_schemas`;
}

/** Lists the schemas that processes serve now. No process begins to serve one of the others before the commit. */
export async function listServing(tx: TransactionSql): Promise<ServedSchema[]> {
  const serving: ServedSchema[] = [];
  for (const schema of await listServedSchemas(tx)) {
    const [row] = await tx<{ isFree: boolean }[]>`
      select pg_try_advisory_xact_lock(${SERVED_LOCK}, ${getLockKey(schema.fingerprint)}) as "isFree"`;
    if (!row?.isFree) serving.push(schema);
  }
  return serving;
}

/** Checks whether processes of a schema may serve. */
export async function isServed(db: Sql | TransactionSql, fingerprint: string): Promise<boolean> {
  const served = await listServedSchemas(db);
  return served.some((each) => each.fingerprint === fingerprint);
}

/**
 * Records a schema as the database's own.
 * @param isBeside whether processes of the one before may serve beside it
 */
export async function recordSchema(
  tx: TransactionSql,
  fingerprint: string,
  isBeside: boolean,
): Promise<void> {
  await tx`delete from drizzle.served_schemas where not (is_current and ${isBeside})`;
  await tx`update drizzle.served_schemas set is_current = false`;
  await tx`
    insert into drizzle.served_schemas (fingerprint, release, is_current)
    values (${fingerprint}, ${RELEASE}, true)`;
}

/** @throws {OthersServe} while a process of version 0.1.0 is connected */
export async function refuseBesideFirstRelease(tx: TransactionSql): Promise<void> {
  const [row] = await tx<{ serves: boolean }[]>`
    select exists (
      select from pg_stat_activity
      where datname = current_database() and application_name = ${FIRST_RELEASE_NAME}
    ) as serves`;
  if (row?.serves) throw new OthersServe();
}

const BESIDE = /^-- safe beside the release before$/m;

/** Checks whether a migration says that processes of the release before may serve on. */
export function isSafeBeside({ sql: statements }: MigrationMeta): boolean {
  return statements.some((statement) => BESIDE.test(statement));
}

/**
 * Checks whether a function says that processes may serve on that rely on its text before.
 * @param applied the checksum of the text before; undefined when the function is new
 */
export function isFunctionSafeBeside(text: string, applied: string | undefined): boolean {
  if (applied === undefined || applied === getChecksum(text)) return true;
  return text.split("\n").includes(`-- safe beside ${applied}`);
}

/** Checks whether a release is older than another one. */
export function isOlder(release: string, other: string): boolean {
  return release.localeCompare(other, "en", { numeric: true }) < 0;
}
