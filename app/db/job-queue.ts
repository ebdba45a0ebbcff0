import { type SQL, sql } from "drizzle-orm";
import type PgBoss from "pg-boss";
import { QUEUES } from "../domain/queue";
import { toArrayLiteral } from "./array-literal";
import type { Database, Executor } from "./client";

// pg-boss keeps the jobs, in a schema of its own in the same database. Its own pool, timers and workers are
// not used: docs/decisions/027-campaign-build.md says why.

/** Of the pg-boss that is installed; a test holds it. */
export const QUEUE_SCHEMA_VERSION = 24;

/** pg-boss on the connections of this service, with nothing that runs by itself. */
export async function createBoss(
  execute: (statement: SQL) => Promise<readonly Record<string, unknown>[]>,
): Promise<PgBoss> {
  // Loaded when first needed: it would cost each start.
  const { default: Boss } = await import("pg-boss");
  return new Boss({
    db: adaptToBoss(execute),
    schema: "pgboss",
    schedule: false,
    supervise: false,
    // A schedule's slot is taken as long as its last job is kept.
    archiveCompletedAfterSeconds: 3 * 86_400,
  });
}

/** What pg-boss writes through: the caller's transaction, so that a job is there if its cause is. */
export function adaptToBoss(
  execute: (statement: SQL) => Promise<readonly Record<string, unknown>[]>,
): PgBoss.Db {
  return {
    executeSql: async (text, values = []) => ({ rows: [...(await execute(toSql(text, values)))] }),
  };
}

/** Makes the schema and the queues, or brings them up to date. Callers take turns. */
export async function installJobQueue(db: Database): Promise<void> {
  if (await isInstalled(db)) return;
  const boss = await createBoss((statement) => db.execute(statement));
  await boss.start();
  // One job of a key may wait; a second one is not stored.
  for (const name of QUEUES) await boss.createQueue(name, { name, policy: "short" });
}

async function isInstalled(db: Executor): Promise<boolean> {
  const [schema] = await db.execute<{ exists: boolean }>(
    sql`select to_regclass('pgboss.version') is not null as exists`,
  );
  if (!schema?.exists) return false;
  const [found] = await db.execute<{ version: number; queues: number }>(sql`
    select version, (
      select count(*)::int from pgboss.queue where name = any(${toArrayLiteral(QUEUES)}::text[])
    ) as queues
    from pgboss.version`);
  return found?.version === QUEUE_SCHEMA_VERSION && found.queues === QUEUES.length;
}

/**
 * Its statements have numbered parameters, each as often as it is used. Some are several, between BEGIN
 * and COMMIT: sent together they are one transaction without, and postgres.js takes no BEGIN on a pool.
 */
function toSql(text: string, values: readonly unknown[]): SQL {
  const parts = text.replace(/^\s*BEGIN;|COMMIT;\s*$/g, "").split(/\$(\d+)/);
  return sql.join(
    parts.map((part, i) =>
      i % 2 === 0 ? sql.raw(part) : sql`${toParameter(values[Number(part) - 1])}`,
    ),
  );
}

/** In text form, which PostgreSQL reads as whatever type the statement asks for. */
function toParameter(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return toArrayLiteral(value.map(String));
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
