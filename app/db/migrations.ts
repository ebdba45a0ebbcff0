import path from "node:path";
import { sql } from "drizzle-orm";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import { createPool, type DatabaseAddress, withDatabase } from "./client";
import { installJobQueue } from "./job-queue";

const MIGRATIONS_FOLDER = path.resolve("drizzle/migrations");
/** Any number, the same for every instance. */
const MIGRATION_LOCK = 7_014_021;

/** Brings the schema up to date; instances that start together take turns. */
export async function migrateDatabase(address: DatabaseAddress): Promise<void> {
  const pool = createPool({ address, connectionsMax: 1, statementTimeoutMs: 0, deadlineMs: 0 });
  try {
    await pool`select pg_advisory_lock(${MIGRATION_LOCK})`;
    const db = drizzle(pool);
    await migrate(db, { migrationsFolder: MIGRATIONS_FOLDER });
    await installJobQueue(db);
  } finally {
    await pool.end({ timeout: 5 });
  }
}

/** Whether the database answers and has every migration that this code needs. */
export async function isDatabaseMigrated(): Promise<boolean> {
  const needed = readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER }).length;
  const [row] = await withDatabase((db) =>
    db.execute<{ applied: number }>(
      sql`select count(*)::int as applied from drizzle.__drizzle_migrations`,
    ),
  );
  return (row?.applied ?? 0) >= needed;
}
