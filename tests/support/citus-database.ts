import { randomBytes } from "node:crypto";
import { inject, onTestFinished } from "vitest";
import { distributeDatabase } from "../../app/db/citus/distribute";
import { closeDatabase, openDatabase } from "../../app/db/client";
import { migrateDatabase } from "../../app/db/migrations";
import type { DatabaseAddress } from "../../app/db/pool";
import { DATABASE_DEADLINE_MS, STATEMENT_TIMEOUT_MS } from "../../app/domain/deadline";
import { type Citus, createCitusDatabase, runOn } from "./citus";
import { database } from "./test-database";

/** Opens another database than the one that is open. */
export async function reopenDatabase(address: DatabaseAddress): Promise<void> {
  await closeDatabase();
  openDatabase({
    address,
    connectionsMax: 10,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    deadlineMs: DATABASE_DEADLINE_MS,
  });
}

/**
 * Creates a database on the run's nodes, and uses it in place of the test file's until the test's end.
 * @param isMigrated whether it has this version's tables
 */
export async function useNewDatabase({
  make = createCitusDatabase,
  isMigrated = true,
} = {}): Promise<DatabaseAddress> {
  const nodes = [inject("cluster"), ...inject("workers")];
  const name = `distribute_${randomBytes(6).toString("hex")}`;
  await make(nodes, name);
  const address = { ...inject("cluster"), database: name } as DatabaseAddress;
  await reopenDatabase(address);
  onTestFinished(async () => {
    await reopenDatabase(database as DatabaseAddress);
    await runOn(nodes, "postgres", `drop database if exists ${name} with (force)`);
  });
  if (isMigrated) await migrateDatabase(address);
  return address;
}

/** Creates a distributed database on the coordinator and some workers of a cluster, and opens it. */
export async function openDistributed(
  { coordinator, workers }: Citus,
  name: string,
  workersUsed = workers.length,
): Promise<DatabaseAddress> {
  const nodes = [coordinator, ...workers.slice(0, workersUsed)].map(({ address }) => address);
  await createCitusDatabase(nodes, name);
  const address = { ...coordinator.address, database: name } as DatabaseAddress;
  await migrateDatabase(address);
  await distributeDatabase(address, () => {});
  await reopenDatabase(address);
  return address;
}
