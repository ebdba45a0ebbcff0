import { describeError } from "../process/describe-error";
import { renewDistributed } from "./citus/distribute";
import { closeDatabase, openDatabase } from "./client";
import { refuseTooManyConnections } from "./connection-limit";
import {
  type DatabaseChoice,
  recordDatabase,
  refuseForgottenUrl,
  refuseToBeginAnew,
} from "./database-choice";
import { holdEmbeddedCluster } from "./embedded/cluster";
import { isClusterCreated } from "./embedded/location";
import { isDatabaseAway, isTlsFailure, ReadOnlyError } from "./errors";
import { isEmpty, migrateDatabase } from "./migrations";
import type { DatabaseAddress } from "./pool";
import { refusePoolers } from "./poolers";
import { createReadiness } from "./readiness";
import { admitService } from "./service-role";
import { isTlsNeeded } from "./tls";

/** The database: that of `databaseUrl`, and without it the embedded cluster under `dataDir`. */
export interface PrepareOptions extends DatabaseChoice {
  /** Records the database as this installation's own: for processes that serve it. */
  readonly isServing?: boolean;
  /** The connections that the processes of this start may keep to the database (`countKeptConnections`). */
  readonly connections?: number;
  readonly log: (message: string) => void;
}

export interface OpenOptions extends PrepareOptions {
  /** The address of a database that another process has prepared and holds. */
  readonly preparedAddress?: DatabaseAddress | undefined;
  readonly connectionsMax: number;
  readonly statementTimeoutMs: number;
  readonly deadlineMs: number;
  /** Opens the embedded database as the role that owns its tables, not as the one that serves. */
  readonly isOwner?: boolean;
}

/** A database with this code's schema, which runs at least until its release. */
export interface PreparedDatabase {
  readonly address: DatabaseAddress;
  readonly release: () => Promise<void>;
}

/** The time that a start waits for an external PostgreSQL that does not answer yet. */
const EXTERNAL_START_WAIT_MS = 30_000;
const EXTERNAL_RETRY_EVERY_MS = 500;
const TLS_HINT =
  "Name the authority of its certificate in NODE_EXTRA_CA_CERTS, or set DATABASE_TLS=off";

/**
 * Brings the schema of the database that the environment names up to date, without opening it.
 * @throws {Error} when the database cannot be reached or migrated
 */
export async function prepareDatabase(options: PrepareOptions): Promise<PreparedDatabase> {
  const { log } = options;
  const { address, admit, release } = await reachDatabase(options);
  try {
    // An operator who migrates or seeds a database by a command means it.
    const emptyRefusal = options.isServing ? refuseToBeginAnew(options) : null;
    await whenReachable(address, log, async () => {
      await refusePoolers(address);
      if (options.connections) await refuseTooManyConnections(address, options.connections);
      if (emptyRefusal !== null && (await isEmpty(address))) throw new Error(emptyRefusal);
      await migrateDatabase(address, { log });
      await renewDistributed(address);
    });
    if (options.isServing) recordDatabase(options);
    return { address: await admit(), release };
  } catch (error) {
    await release();
    throw error;
  }
}

/**
 * Counts the connections that processes may keep to the database: each has one beside its pools, and one more to know how
 * late replicas are. Long work opens its own besides.
 */
export function countKeptConnections(
  processes: number,
  env: {
    readonly DATABASE_CONNECTIONS_MAX: number;
    readonly DATABASE_REPLICA_URLS: readonly string[];
  },
): number {
  const ofReplicas = env.DATABASE_REPLICA_URLS.length > 0 ? 1 : 0;
  return processes * (env.DATABASE_CONNECTIONS_MAX + 1 + ofReplicas);
}

/** A database that can be reached, whatever its schema is. */
interface ReachedDatabase {
  /** The address with the role that migrates. */
  readonly address: DatabaseAddress;
  /** Returns the address with the role that serves, once the schema is this code's. */
  readonly admit: () => Promise<DatabaseAddress>;
  readonly release: () => Promise<void>;
}

/** Holds the embedded cluster, unless the database is another one. */
async function reachDatabase(options: PrepareOptions): Promise<ReachedDatabase> {
  refuseForgottenUrl(options);
  const { databaseUrl, dataDir, log } = options;
  if (databaseUrl !== undefined) {
    return { address: databaseUrl, admit: async () => databaseUrl, release: async () => {} };
  }
  const { connection, release } = await holdEmbeddedCluster({ dataDir, log }).catch((error) => {
    if (!("path" in error) || error.syscall?.startsWith("spawn")) throw error;
    throw new Error(`DATA_DIR: ${dataDir} cannot be used: ${error.message}`, { cause: error });
  });
  return { address: connection, admit: () => admitService(connection), release };
}

/**
 * Opens the database that the environment names, as it is: a command that only reads, or works beside servers,
 * neither makes a database nor changes its schema.
 * @returns closes it again
 * @throws {Error} when there is no database, or it is of another version
 */
export async function openCurrentDatabase(options: OpenOptions): Promise<() => Promise<void>> {
  const { databaseUrl, dataDir, connectionsMax, statementTimeoutMs, deadlineMs } = options;
  refuseForgottenUrl(options);
  if (databaseUrl === undefined && !isClusterCreated(dataDir)) {
    throw new Error(`There is no database in ${dataDir}. Check DATABASE_URL and DATA_DIR.`);
  }
  const { address: owner, admit, release } = await reachDatabase(options);
  const admitted = options.isOwner ? Promise.resolve(owner) : admit();
  const address = await admitted.catch(async (error) => {
    await release();
    throw error;
  });
  openDatabase({ address, connectionsMax, statementTimeoutMs, deadlineMs });
  const { begin, close } = createReadiness(() => {});
  const closeAll = async () => {
    await close();
    await closeDatabase();
    await release();
  };
  try {
    await whenReachable(address, options.log, async () => {
      await refusePoolers(address);
      await begin();
    });
    return closeAll;
  } catch (error) {
    await closeAll();
    throw error;
  }
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

/** The settings of the environment that name the database. */
interface DatabaseSettings {
  readonly DATABASE?: DatabaseChoice["database"];
  readonly DATABASE_URL?: string | undefined;
  readonly DATA_DIR: string;
}

/** Reads the choice of the database from the environment. */
export function chooseDatabase(env: DatabaseSettings): DatabaseChoice {
  return { database: env.DATABASE, databaseUrl: env.DATABASE_URL, dataDir: env.DATA_DIR };
}

/** Builds the options for a command, which runs to its end without time limits. */
export function commandDatabase(
  env: DatabaseSettings,
  log: (message: string) => void,
): OpenOptions {
  return {
    ...chooseDatabase(env),
    connectionsMax: 4,
    statementTimeoutMs: 0,
    deadlineMs: 0,
    log,
  };
}

/** Waits for an external PostgreSQL that does not answer yet. */
async function whenReachable(
  address: DatabaseAddress,
  log: (message: string) => void,
  attempt: () => Promise<void>,
): Promise<void> {
  const givesUpAt = Date.now() + EXTERNAL_START_WAIT_MS;
  for (let isTold = false; ; isTold = true) {
    try {
      return await attempt();
    } catch (error) {
      if (typeof address !== "string") throw error;
      if (isTlsNeeded(address) && isTlsFailure(error)) {
        const { message } = error as Error;
        throw new Error(`PostgreSQL at DATABASE_URL: ${message}. ${TLS_HINT}`, { cause: error });
      }
      if (!isDatabaseAway(error)) throw error;
      if (Date.now() > givesUpAt) {
        if (error instanceof ReadOnlyError) throw error;
        const [means, hint] = isTlsNeeded(address) ? [" over TLS", `. ${TLS_HINT}`] : ["", ""];
        const problem = `PostgreSQL at DATABASE_URL cannot be reached${means}`;
        throw new Error(`${problem}: ${describeError(error)}${hint}`, { cause: error });
      }
      if (!isTold) log("PostgreSQL at DATABASE_URL does not answer yet: waiting for it");
      await new Promise((resolve) => setTimeout(resolve, EXTERNAL_RETRY_EVERY_MS));
    }
  }
}
