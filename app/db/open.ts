import { closeDatabase, type DatabaseAddress, openDatabase } from "./client";
import { holdEmbeddedCluster } from "./embedded/cluster";
import { isDatabaseUnavailable } from "./errors";
import { migrateDatabase } from "./migrations";

export interface OpenOptions {
  /**
   * The URL of an external PostgreSQL; without it, the embedded cluster under `dataDir` is used.
   */
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  readonly connectionsMax: number;
  readonly statementTimeoutMs: number;
  readonly deadlineMs: number;
  readonly log: (message: string) => void;
}

/** The time that a start waits for an external PostgreSQL that does not answer yet. */
const EXTERNAL_START_WAIT_MS = 30_000;
const EXTERNAL_RETRY_EVERY_MS = 500;

/**
 * Opens the database that the environment names, and brings its schema up to date.
 * @returns closes it again, and stops the embedded PostgreSQL if no other process uses it
 * @throws {Error} when the database cannot be reached or migrated
 */
export async function openMigratedDatabase(options: OpenOptions): Promise<() => Promise<void>> {
  const { connectionsMax, statementTimeoutMs, deadlineMs, log } = options;
  const settings = { connectionsMax, statementTimeoutMs, deadlineMs };
  if (options.databaseUrl !== undefined) {
    await migrateWhenReachable(options.databaseUrl, log);
    openDatabase({ address: options.databaseUrl, ...settings });
    return closeDatabase;
  }
  const cluster = await holdEmbeddedCluster({ dataDir: options.dataDir, log });
  try {
    await migrateDatabase(cluster.connection);
  } catch (error) {
    await cluster.release();
    throw error;
  }
  openDatabase({ address: cluster.connection, ...settings });
  return async () => {
    await closeDatabase();
    await cluster.release();
  };
}

/** Builds the options for a command, which runs to its end without time limits. */
export function commandDatabase(
  env: { DATABASE_URL?: string | undefined; DATA_DIR: string },
  log: (message: string) => void,
): OpenOptions {
  return {
    databaseUrl: env.DATABASE_URL,
    dataDir: env.DATA_DIR,
    connectionsMax: 4,
    statementTimeoutMs: 0,
    deadlineMs: 0,
    log,
  };
}

async function migrateWhenReachable(
  address: DatabaseAddress,
  log: (message: string) => void,
): Promise<void> {
  const givesUpAt = Date.now() + EXTERNAL_START_WAIT_MS;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await migrateDatabase(address);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      if (Date.now() > givesUpAt) {
        throw new Error("PostgreSQL at DATABASE_URL cannot be reached", { cause: error });
      }
      if (attempt === 1) log("PostgreSQL at DATABASE_URL does not answer yet: waiting for it");
      await new Promise((resolve) => setTimeout(resolve, EXTERNAL_RETRY_EVERY_MS));
    }
  }
}
