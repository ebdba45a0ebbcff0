import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import postgres, { type Sql, type TransactionSql } from "postgres";
import { Failure } from "../domain/failure";
import { isDatabaseUnavailable } from "./errors";

export type Database = PostgresJsDatabase & { $client: Sql };
export type Transaction = Parameters<Parameters<Database["transaction"]>[0]>[0];
/** What a statement runs on: the pool, or a transaction under way. */
export type Executor = Database | Transaction;

/** A connection without drizzle: for `copy` and cursors. */
export type Connection = Sql;
export type ConnectionTransaction = TransactionSql;

/** Where PostgreSQL is: a URL, or the options of the embedded cluster. */
export type DatabaseAddress = string | postgres.Options<Record<string, never>>;

export interface DatabaseOptions {
  address: DatabaseAddress;
  connectionsMax: number;
  /** PostgreSQL ends a statement that takes longer. 0: no limit, for commands. */
  statementTimeoutMs: number;
  /** An answer is due by then, whatever the database does. 0: no limit, for commands. */
  deadlineMs: number;
}

/** Work that may wait for a connection at once; more is turned away, so memory stays bounded. */
const WORK_WAITING_MAX = 2_000;
/** A pool that finishes nothing for this long is given up, with its connections. */
const STUCK_AFTER_MS = 4_000;

interface Pool {
  readonly options: DatabaseOptions;
  sql: Sql;
  db: Database;
  pending: number;
  lastSettledAt: number;
}

/** What has a connection of its own. */
export type Lane = "credits" | "reads";

interface State {
  readonly options: DatabaseOptions;
  readonly shared: Pool;
  readonly lanes: Readonly<Record<Lane, Pool>>;
}

// One state for the process. On globalThis, since hot reload and the two entries of the server
// build each have a copy of this module.
const holder = globalThis as typeof globalThis & { pointsDatabase?: State | undefined };

/** A postgres.js pool with the deadlines of this service. */
export function createPool({ address, connectionsMax, statementTimeoutMs }: DatabaseOptions): Sql {
  const options: postgres.Options<Record<string, never>> = {
    max: connectionsMax,
    // The default backs off to many seconds: recovery would wait for it.
    backoff: (attempt) => Math.min(0.1 * attempt, 0.3),
    connect_timeout: 3,
    fetch_types: false,
    onnotice: () => {},
    connection: {
      application_name: "points-and-rewards",
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: statementTimeoutMs * 4,
      // The server reads by index only; a plan made while a table was small must stay good.
      ...(statementTimeoutMs > 0 && { enable_seqscan: false }),
    },
  };
  if (typeof address !== "string") return postgres({ ...address, ...options });
  // postgres.js takes a Unix socket as an option only, not in libpq's form `?host=/folder`.
  const url = new URL(address);
  const socketFolder = url.searchParams.get("host");
  url.searchParams.delete("host");
  return postgres(url.href, socketFolder ? { ...options, host: socketFolder } : options);
}

function connect(options: DatabaseOptions): Pick<Pool, "sql" | "db"> {
  const sql = createPool(options);
  return { sql, db: drizzle(sql) };
}

function openPool(options: DatabaseOptions): Pool {
  return { options, ...connect(options), pending: 0, lastSettledAt: Date.now() };
}

/** Opens the process's connections, `connectionsMax` in all (at least 3). They are made when first needed. */
export function openDatabase(options: DatabaseOptions): void {
  if (holder.pointsDatabase) throw new Error("The database is open already");
  const openLane = () => openPool({ ...options, connectionsMax: 1 });
  const lanes = { credits: openLane(), reads: openLane() };
  const connectionsMax = Math.max(1, options.connectionsMax - Object.keys(lanes).length);
  holder.pointsDatabase = { options, shared: openPool({ ...options, connectionsMax }), lanes };
}

/** Lets what is under way end (5 s at most), then closes the connections. */
export async function closeDatabase(): Promise<void> {
  const state = holder.pointsDatabase;
  holder.pointsDatabase = undefined;
  const pools = state ? [state.shared, ...Object.values(state.lanes)] : [];
  await Promise.all(pools.map((pool) => pool.sql.end({ timeout: 5 })));
}

/** How the process's database was opened: for a thread that opens one of its own. */
export function getDatabaseOptions(): DatabaseOptions {
  return getState().options;
}

function getState(): State {
  if (!holder.pointsDatabase) throw new Error("The database is not open");
  return holder.pointsDatabase;
}

/** Drops connections on which nothing moves (a stopped server, a lost network) and starts anew. */
function replaceStuck(pool: Pool, stuck: Sql): void {
  if (pool.sql !== stuck) return;
  if (Date.now() - pool.lastSettledAt < STUCK_AFTER_MS) return; // busy, not stuck
  Object.assign(pool, connect(pool.options), { lastSettledAt: Date.now() });
  void stuck.end({ timeout: 0 }).catch(() => {});
}

/**
 * The one way to the database: runs `work` within the deadline and the bound on waiting work.
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
  let timer: NodeJS.Timeout | undefined;
  const settled = work(db).finally(() => {
    clearTimeout(timer);
    pool.pending -= 1;
    if (pool.sql === sql) pool.lastSettledAt = Date.now();
  });
  try {
    if (deadlineMs === 0) return await settled;
    return await Promise.race([
      settled,
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          settled.catch(() => {}); // answered already: what becomes of it is nobody's error
          replaceStuck(pool, sql);
          reject(new Failure("service_unavailable"));
        }, deadlineMs);
      }),
    ]);
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw new Failure("service_unavailable", { cause: error });
    throw error;
  }
}

/**
 * Runs work that takes as long as it takes, on a connection of its own without a deadline. For the
 * worker and commands; whoever waits for an answer goes through `withDatabase`.
 */
export async function withOwnConnection<T>(work: (db: Database) => Promise<T>): Promise<T> {
  const { options } = getState();
  const pool = createPool({ ...options, connectionsMax: 1, statementTimeoutMs: 0, deadlineMs: 0 });
  try {
    return await work(drizzle(pool));
  } finally {
    await pool.end({ timeout: 5 });
  }
}

/**
 * A query that is compiled once for each pool and prepared on the server: for hot paths.
 * @example const findOwner = hotQuery((db) => db.select().from(t).where(…).prepare("find_owner"));
 */
export function hotQuery<Parameters, Rows>(
  build: (db: Database) => { execute(parameters: Parameters): Promise<Rows> },
): (parameters: Parameters) => Promise<Rows> {
  return compileFor(() => getState().shared, build);
}

/**
 * A hot query on a lane, which is one connection: what is asked while others are under way is sent at
 * once and begins when they end. Each is a transaction by itself. A server process that always has
 * something to do neither sleeps nor finds its caches cold, as the many of a pool do that take turns:
 * for statements that are short whatever they are asked, or that would wait for each other in any case.
 */
export function pipelinedQuery<Parameters, Rows>(
  lane: Lane,
  build: (db: Database) => { execute(parameters: Parameters): Promise<Rows> },
): (parameters: Parameters) => Promise<Rows> {
  return compileFor(() => getState().lanes[lane], build);
}

function compileFor<Parameters, Rows>(
  getPool: () => Pool,
  build: (db: Database) => { execute(parameters: Parameters): Promise<Rows> },
): (parameters: Parameters) => Promise<Rows> {
  const compiled = new WeakMap<Database, { execute(parameters: Parameters): Promise<Rows> }>();
  return async (parameters) =>
    runOn(getPool(), (db) => {
      let query = compiled.get(db);
      if (!query) {
        query = build(db);
        compiled.set(db, query);
      }
      return query.execute(parameters);
    });
}
