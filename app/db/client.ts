import os from "node:os";
import type { PgTransactionConfig } from "drizzle-orm/pg-core";
import { drizzle } from "drizzle-orm/postgres-js";
import type { Sql, TransactionSql } from "postgres";
import { processState } from "../process/state";
import { runInLane } from "./lanes";
import {
  createPool,
  type Database,
  type DatabaseOptions,
  keepPlans,
  openPool,
  type Pool,
  runOn,
} from "./pool";

export type Transaction = Parameters<Parameters<Database["transaction"]>[0]>[0];
/** The object that runs a statement: the pool, or an open transaction. */
export type Executor = Database | Transaction;

/** A connection without drizzle, for `copy` and cursors. */
export type Connection = Sql;
export type ConnectionTransaction = TransactionSql;

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

const holder = processState<{ current?: State | undefined }>("database", () => ({}));

/** Opens a pipeline: pools of one connection. */
function openPipeline(name: Pipeline, options: DatabaseOptions): Pool[] {
  const { max, share } = PIPELINE_SIZES[name];
  const length = Math.max(1, Math.min(max, Math.floor(options.connectionsMax * share)));
  return Array.from({ length }, () => openPool({ ...options, connectionsMax: 1 }));
}

/** Opens connections that read, and of the shared pool: `connectionsMax` in all, less those that others use. */
export function openReadPools(options: DatabaseOptions, used = 0) {
  const statementTimeoutMs = Math.min(options.statementTimeoutMs, READS_TIMEOUT_MS);
  const reads = openPipeline("reads", { ...options, statementTimeoutMs }).map(keepPlans);
  const connectionsMax = Math.max(1, options.connectionsMax - reads.length - used);
  // A statement waits for the first of these connections that becomes free, never behind a slow one.
  return { shared: openPool({ ...options, connectionsMax, isPipelined: false }), reads };
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

const listPoolsOf = ({ shared, pipelines }: State) => [shared, ...Object.values(pipelines).flat()];

/** Lists the pools of the process's database, without those of replicas. */
export const listPrimaryPools = (): readonly Pool[] => listPoolsOf(getState());

/** Waits up to 5 s for running work to end, then closes the connections. */
export async function closeDatabase(): Promise<void> {
  const state = holder.current;
  holder.current = undefined;
  const pools = state ? listPoolsOf(state) : [];
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
 * Runs `work` on the database, within the deadline and the limit on waiting work. All requests use
 * it.
 * @throws {Failure} `service_unavailable` when the database is gone, stuck, too slow or too busy
 */
export async function withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
  return runOn(getState().shared, work);
}

/**
 * Runs `work` in one transaction on the database, as `withDatabase` does.
 * @param settings its isolation level and access mode, other than PostgreSQL's own
 * @throws {Failure} `service_unavailable`
 */
export function inTransaction<T>(
  work: (tx: Transaction) => Promise<T>,
  settings?: PgTransactionConfig,
): Promise<T> {
  return withDatabase((db) => db.transaction(work, settings));
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
    const chosen = pools[connection ?? -1];
    return chosen
      ? run(chosen, parameters)
      : runInLane({ pools, listOthers: listPrimaryPools }, parameters, run);
  };
}

export function compileOn<Parameters, Rows>(
  build: (db: Database) => { execute(parameters: Parameters): Promise<Rows> },
): (pool: Pool, parameters: Parameters) => Promise<Rows> {
  const compiled = new WeakMap<Database, { execute(parameters: Parameters): Promise<Rows> }>();
  return async (pool, parameters) => {
    if (pool.settle) await pool.settle();
    return runOn(pool, (db) => {
      let query = compiled.get(db);
      if (!query) {
        query = build(db);
        compiled.set(db, query);
      }
      return query.execute(parameters);
    });
  };
}
