import os from "node:os";
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import postgres, { type Sql, type TransactionSql } from "postgres";
import { waitInTime } from "../domain/deadline";
import { Failure } from "../domain/failure";
import { RELEASE } from "../process/release";
import { processState } from "../process/state";
import { listConnectionSettings } from "./connection-settings";
import { isDatabaseUnavailable } from "./errors";
import { getHostname, isTlsNeeded } from "./tls";

export type Database = PostgresJsDatabase & { $client: Sql };
export type Transaction = Parameters<Parameters<Database["transaction"]>[0]>[0];
/** The object that runs a statement: the pool, or an open transaction. */
export type Executor = Database | Transaction;

/** A connection without drizzle, for `copy` and cursors. */
export type Connection = Sql;
export type ConnectionTransaction = TransactionSql;

/** The address of PostgreSQL: a URL, or the options of the embedded cluster. */
export type DatabaseAddress = string | postgres.Options<Record<string, never>>;

export interface DatabaseOptions {
  address: DatabaseAddress;
  connectionsMax: number;
  /** PostgreSQL ends a statement that takes longer. 0 means no limit, for commands. */
  statementTimeoutMs: number;
  /**
   * The time within which the caller gets an answer, whatever the database does. 0 means no limit,
   * for commands.
   */
  deadlineMs: number;
}

/** Work that may wait for a connection at once. More is rejected, which bounds the memory. */
const WORK_WAITING_MAX = 2_000;
/** A pool that finishes no work for this long is abandoned with its connections. */
const STUCK_AFTER_MS = 4_000;

export interface Pool {
  readonly options: DatabaseOptions;
  sql: Sql;
  db: Database;
  pending: number;
  lastSettledAt: number;
}

const CORES = os.availableParallelism();

/** A use of the database that has its own connections. */
export type Pipeline = "credits" | "reads";

interface State {
  readonly options: DatabaseOptions;
  readonly shared: Pool;
  /** The connections of each pipeline: pools of one. */
  readonly pipelines: Readonly<Record<Pipeline, readonly Pool[]>>;
}

/** The most connections of a pipeline, and the share of all connections that it may have. */
const PIPELINE_SIZES: Readonly<Record<Pipeline, { max: number; share: number }>> = {
  credits: { max: 6, share: 0.5 },
  reads: { max: Math.min(4, Math.max(2, CORES)), share: 0.2 },
};
/** A statement of a pipeline is short. One that takes longer ends, since others wait for it. */
const READS_TIMEOUT_MS = 2_000;
/** While a connection works on a statement for longer than this, others take the next ones. */
const SLOW_AFTER_MS = 20;
/** The most statements that a connection has under way while another one and a core are idle. */
const STATEMENTS_A_CONNECTION = 24;

const holder = processState<{ current?: State | undefined }>("database", () => ({}));

/**
 * Creates a postgres.js pool with the deadlines of this service.
 * @throws {Error} when the installed postgres.js lacks this project's patch: without it, a
 *   connection that is lost within a transaction ends the process
 */
export function createPool(
  { address, connectionsMax, statementTimeoutMs }: DatabaseOptions,
  more: Pick<postgres.Options<Record<string, never>>, "max_lifetime"> = {},
): Sql {
  const options: postgres.Options<Record<string, never>> = {
    ...more,
    max: connectionsMax,
    // The default waits up to many seconds between attempts, which would delay recovery.
    backoff: (attempt) => Math.min(0.1 * attempt, 0.3),
    connect_timeout: 3,
    fetch_types: false,
    onnotice: () => {},
    connection: {
      application_name: `points-and-rewards/${RELEASE}`,
      ...listConnectionSettings(statementTimeoutMs),
    },
  };
  const pool = createUncheckedPool(address, options);
  if (!("survivesLostConnections" in pool)) {
    throw new Error("postgres.js lacks this project's patch. Apply it with: npm run postinstall");
  }
  return pool;
}

function createUncheckedPool(
  address: DatabaseAddress,
  options: postgres.Options<Record<string, never>>,
): Sql {
  if (typeof address !== "string") return postgres({ ...address, ...options });
  // postgres.js accepts a Unix socket only as an option, not in libpq's form `?host=/folder`.
  const url = new URL(address);
  const socketFolder = url.searchParams.get("host");
  url.searchParams.delete("host");
  const ssl = isTlsNeeded(address) && { host: getHostname(url) };
  url.searchParams.delete("sslmode");
  return postgres(url.href, { ...options, ssl, ...(socketFolder && { host: socketFolder }) });
}

function connect(options: DatabaseOptions): Pick<Pool, "sql" | "db"> {
  const sql = createPool(options);
  return { sql, db: drizzle(sql) };
}

function openPool(options: DatabaseOptions): Pool {
  return { options, ...connect(options), pending: 0, lastSettledAt: Date.now() };
}

/** Opens a pipeline: pools of one connection. */
function openPipeline(name: Pipeline, options: DatabaseOptions): Pool[] {
  const { max, share } = PIPELINE_SIZES[name];
  const length = Math.max(1, Math.min(max, Math.floor(options.connectionsMax * share)));
  return Array.from({ length }, () => openPool({ ...options, connectionsMax: 1 }));
}

/** Opens connections that read, and of the shared pool: `connectionsMax` in all, less those that others use. */
export function openReadPools(options: DatabaseOptions, used = 0) {
  const statementTimeoutMs = Math.min(options.statementTimeoutMs, READS_TIMEOUT_MS);
  const reads = openPipeline("reads", { ...options, statementTimeoutMs });
  const connectionsMax = Math.max(1, options.connectionsMax - reads.length - used);
  return { shared: openPool({ ...options, connectionsMax }), reads };
}

/**
 * Opens the process's connections, `connectionsMax` in all (at least 3). Each connects on first
 * use.
 */
export function openDatabase(options: DatabaseOptions): void {
  if (holder.current) throw new Error("The database is open already");
  const credits = openPipeline("credits", options);
  const { shared, reads } = openReadPools(options, credits.length);
  holder.current = { options, shared, pipelines: { credits, reads } };
}

/** Waits up to 5 s for running work to end, then closes the connections. */
export async function closeDatabase(): Promise<void> {
  const state = holder.current;
  holder.current = undefined;
  const pools = state ? [state.shared, ...Object.values(state.pipelines).flat()] : [];
  await Promise.all(pools.map((pool) => pool.sql.end({ timeout: 5 })));
}

/** Creates what is known of the process's database, anew for each that is opened. */
export function databaseState<T extends object>(create: () => T): () => T {
  const created = new WeakMap<State, T>();
  return () => {
    const database = getState();
    const known = created.get(database) ?? create();
    created.set(database, known);
    return known;
  };
}

/** Returns the options of the process's database, for a thread that opens its own connections. */
export function getDatabaseOptions(): DatabaseOptions {
  return getState().options;
}

function getState(): State {
  if (!holder.current) throw new Error("The database is not open");
  return holder.current;
}

/**
 * Drops connections that make no progress (a stopped server, a lost network) and opens new ones.
 */
function replaceStuck(pool: Pool, stuck: Sql): void {
  if (pool.sql !== stuck) return;
  if (Date.now() - pool.lastSettledAt < STUCK_AFTER_MS) return; // busy, not stuck
  Object.assign(pool, connect(pool.options), { lastSettledAt: Date.now() });
  void stuck.end({ timeout: 0 }).catch(() => {});
}

/**
 * Runs `work` on the database, within the deadline and the limit on waiting work. All requests use
 * it.
 * @throws {Failure} `service_unavailable` when the database is gone, stuck, too slow or too busy
 */
export async function withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
  return runOn(getState().shared, work);
}

async function runOn<T>(pool: Pool, work: (db: Database) => Promise<T>): Promise<T> {
  if (pool.pending >= WORK_WAITING_MAX) throw new Failure("service_unavailable");
  const { sql, db } = pool;
  const { deadlineMs } = pool.options;
  if (pool.pending === 0) pool.lastSettledAt = Date.now();
  pool.pending += 1;
  const settled = work(db).finally(() => {
    pool.pending -= 1;
    if (pool.sql === sql) pool.lastSettledAt = Date.now();
  });
  try {
    if (deadlineMs === 0) return await settled;
    return await waitInTime(settled, deadlineMs, () => {
      replaceStuck(pool, sql);
      return new Failure("service_unavailable");
    });
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw new Failure("service_unavailable", { cause: error });
    throw error;
  }
}

/**
 * Runs work without a time limit, on a separate connection. For the worker and commands; code that
 * a request waits for uses `withDatabase`.
 */
export async function withOwnConnection<T>(work: (db: Database) => Promise<T>): Promise<T> {
  const { options } = getState();
  const pool = createPool(
    { ...options, connectionsMax: 1, statementTimeoutMs: 0, deadlineMs: 0 },
    { max_lifetime: null }, // Its locks and temporary tables last as long as the work.
  );
  try {
    return await work(drizzle(pool));
  } finally {
    await pool.end({ timeout: 5 });
  }
}

/**
 * Creates a query for hot paths. It is compiled once for each pool and prepared on the server.
 * @returns runs the query; throws as `withDatabase` does
 * @example const findOwner = hotQuery((db) => db.select().from(t).where(…).prepare("find_owner"));
 */
export function hotQuery<Parameters, Rows>(
  build: (db: Database) => { execute(parameters: Parameters): Promise<Rows> },
): (parameters: Parameters) => Promise<Rows> {
  const run = compileOn(build);
  return (parameters) => run(getState().shared, parameters);
}

/** Lists the pools with the statements that are under way or wait, for metrics. */
export function listPoolUse(): { name: string; pending: number; connections: number }[] {
  const { shared, pipelines } = getState();
  const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
  return Object.entries({ shared: [shared], ...pipelines }).map(([name, pools]) => ({
    name,
    pending: sum(pools.map(({ pending }) => pending)),
    connections: sum(pools.map(({ options }) => options.connectionsMax)),
  }));
}

/** Returns the number of a pipeline's connections, or of those that all other work shares. */
export function countConnections(name: Pipeline | "shared"): number {
  const { shared, pipelines } = getState();
  return name === "shared" ? shared.options.connectionsMax : pipelines[name].length;
}

/**
 * Creates a hot query on a pipeline: connections that send a query while others are running, which
 * begins when they end. Each is its own transaction. A server process with constant work does not
 * sleep and keeps its caches warm, unlike the many processes of a pool that take turns. Pipelines
 * suit statements that are always short, and statements that would wait for each other anyway.
 * @returns runs the query on the connection of this number, by default on the first that is not
 *   held up
 */
export function pipelinedQuery<Parameters, Rows>(
  pipeline: Pipeline,
  build: (db: Database) => { execute(parameters: Parameters): Promise<Rows> },
): (parameters: Parameters, connection?: number) => Promise<Rows> {
  const run = compileOn(build);
  return (parameters, connection) => {
    const pools = getState().pipelines[pipeline];
    return run(pools[connection ?? -1] ?? choosePool(pools), parameters);
  };
}

export function choosePool(pools: readonly Pool[]): Pool {
  const isFree = (pool: Pool) =>
    pool.pending === 0 ||
    (Date.now() - pool.lastSettledAt < SLOW_AFTER_MS &&
      (pool.pending < STATEMENTS_A_CONNECTION || CORES <= 2));
  const [first, ...others] = pools as [Pool, ...Pool[]];
  return [first, ...others].find(isFree) ?? others.reduce(lessPending, first);
}

const lessPending = (a: Pool, b: Pool) => (b.pending < a.pending ? b : a);

export function compileOn<Parameters, Rows>(
  build: (db: Database) => { execute(parameters: Parameters): Promise<Rows> },
): (pool: Pool, parameters: Parameters) => Promise<Rows> {
  const compiled = new WeakMap<Database, { execute(parameters: Parameters): Promise<Rows> }>();
  return async (pool, parameters) =>
    runOn(pool, (db) => {
      let query = compiled.get(db);
      if (!query) {
        query = build(db);
        compiled.set(db, query);
      }
      return query.execute(parameters);
    });
}
