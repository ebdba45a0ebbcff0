import { closeDatabase, type DatabaseAddress, openDatabase } from "./client";
import { holdEmbeddedCluster } from "./embedded/cluster";
import { isDatabaseUnavailable } from "./errors";
import { migrateDatabase } from "./migrations";

export interface PrepareOptions {
  /**
   * The URL of an external PostgreSQL; without it, the embedded cluster under `dataDir` is used.
   */
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  readonly log: (message: string) => void;
}

export interface OpenOptions extends PrepareOptions {
  /** The address of a database that another process has prepared and holds. */
  readonly preparedAddress?: DatabaseAddress | undefined;
  readonly connectionsMax: number;
  readonly statementTimeoutMs: number;
  readonly deadlineMs: number;
}

/** A database with this code's schema, which runs at least until its release. */
export interface PreparedDatabase {
  readonly address: DatabaseAddress;
  readonly release: () => Promise<void>;
}

/** The time that a start waits for an external PostgreSQL that does not answer yet. */
const EXTERNAL_START_WAIT_MS = 30_000;
const EXTERNAL_RETRY_EVERY_MS = 500;

/**
 * Brings the schema of the database that the environment names up to date, without opening it.
 * @throws {Error} when the database cannot be reached or migrated
 */
export async function prepareDatabase(options: PrepareOptions): Promise<PreparedDatabase> {
  const { databaseUrl, dataDir, log } = options;
  if (databaseUrl !== undefined) {
    await migrateWhenReachable(databaseUrl, log);
    return { address: databaseUrl, release: async () => {} };
  }
  const { connection, release } = await holdEmbeddedCluster({ dataDir, log });
  try {
    await migrateDatabase(connection);
  } catch (error) {
    await release();
    throw error;
  }
  return { address: connection, release };
}

/**
 * Opens the database that the environment names, and brings its schema up to date.
 * @returns closes it again, and stops the embedded PostgreSQL if no other process uses it
 * @throws {Error} when the database cannot be reached or migrated
 */
export async function openMigratedDatabase(options: OpenOptions): Promise<() => Promise<void>> {
  const { preparedAddress, connectionsMax, statementTimeoutMs, deadlineMs } = options;
  const settings = { connectionsMax, statementTimeoutMs, deadlineMs };
  if (preparedAddress !== undefined) {
    openDatabase({ address: preparedAddress, ...settings });
    return closeDatabase;
  }
  const { address, release } = await prepareDatabase(options);
  openDatabase({ address, ...settings });
  return async () => {
    await closeDatabase();
    await release();
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
