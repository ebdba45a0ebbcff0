import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import postgres, { type Sql } from "postgres";
import { waitInTime } from "../domain/deadline";
import { Failure } from "../domain/failure";
import { RELEASE } from "../process/release";
import { isDistributed } from "./citus/placement";
import { listConnectionSettings } from "./connection-settings";
import { isDatabaseUnavailable } from "./errors";
import { getHostname, isTlsNeeded } from "./tls";

export type Database = PostgresJsDatabase & { $client: Sql };

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

interface PoolOptions extends DatabaseOptions {
  /** Whether each prepared statement is planned once. */
  readonly arePlansKept?: boolean;
  /** Whether a connection that is at work takes more statements. They wait for it then, also while others become free. */
  readonly isPipelined?: boolean;
}

export interface Pool {
  options: PoolOptions;
  sql: Sql;
  db: Database;
  pending: number;
  lastSettledAtMs: number;
  /** Is called before the first use of a pool that reads: settles whether its plans are kept. */
  settle?: (() => Promise<void>) | undefined;
}

/**
 * The settings of connections that read. Left alone, PostgreSQL plans a statement anew at each call as long as its estimates
 * make that look cheaper, for a small point system beside large ones, or after tables grew. That takes several times as long
 * as the look-up. A plan for any values does not know how few rows a page has: it must follow the index that has its order.
 */
const KEPT_PLANS = {
  plan_cache_mode: "force_generic_plan",
  enable_sort: "off",
  enable_bitmapscan: "off",
} as const;

/**
 * Creates a postgres.js pool with the deadlines of this service.
 * @throws {Error} when the installed postgres.js lacks this project's patch: without it, a
 *   connection that is lost within a transaction ends the process
 */
export function createPool(
  {
    address,
    connectionsMax,
    statementTimeoutMs,
    arePlansKept = false,
    isPipelined = true,
  }: PoolOptions,
  more: Pick<postgres.Options<Record<string, never>>, "max_lifetime"> = {},
): Sql {
  const options: postgres.Options<Record<string, never>> = {
    ...more,
    max: connectionsMax,
    ...(!isPipelined && { max_pipeline: 0 }),
    // The default waits up to many seconds between attempts, which would delay recovery.
    backoff: (attempt) => Math.min(0.1 * attempt, 0.3),
    connect_timeout: 3,
    fetch_types: false,
    onnotice: () => {},
    connection: {
      application_name: `points-and-rewards/${RELEASE}`,
      ...listConnectionSettings(statementTimeoutMs),
      ...(arePlansKept && KEPT_PLANS),
    },
  };
  const pool = createUncheckedPool(address, options);
  if (!("survivesLostConnections" in pool)) {
    throw new Error("postgres.js lacks this project's patch. Apply it with: npm run postinstall");
  }
  return pool;
}

/** Runs `work` on one connection to a database, without a time limit, and closes it afterwards. */
export async function withConnectionTo<T>(
  address: DatabaseAddress,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const pool = createPool({ address, connectionsMax: 1, statementTimeoutMs: 0, deadlineMs: 0 });
  try {
    return await work(pool);
  } finally {
    await pool.end({ timeout: 5 });
  }
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

function connect(options: PoolOptions): Pick<Pool, "sql" | "db"> {
  const sql = createPool(options);
  return { sql, db: drizzle(sql) };
}

/** Opens a pool. Each of its connections connects on first use. */
export function openPool(options: PoolOptions): Pool {
  return { options, ...connect(options), pending: 0, lastSettledAtMs: performance.now() };
}

/**
 * Drops connections that make no progress (a stopped server, a lost network) and opens new ones.
 */
function replaceStuck(pool: Pool, stuck: Sql): void {
  if (pool.sql !== stuck) return;
  if (performance.now() - pool.lastSettledAtMs < STUCK_AFTER_MS) return; // busy, not stuck
  Object.assign(pool, connect(pool.options), { lastSettledAtMs: performance.now() });
  void stuck.end({ timeout: 0 }).catch(() => {});
}

/**
 * Runs `work` on a pool, within its deadline and the limit on waiting work.
 * @throws {Failure} `service_unavailable` when the database is gone, stuck, too slow or too busy
 */
export async function runOn<T>(pool: Pool, work: (db: Database) => Promise<T>): Promise<T> {
  if (pool.pending >= WORK_WAITING_MAX) throw new Failure("service_unavailable");
  const { sql, db } = pool;
  const { deadlineMs } = pool.options;
  if (pool.pending === 0) pool.lastSettledAtMs = performance.now();
  pool.pending += 1;
  const settled = work(db).finally(() => {
    pool.pending -= 1;
    if (pool.sql === sql) pool.lastSettledAtMs = performance.now();
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

/** Makes a pool that reads keep its plans, but on Citus: that plans a statement by the point system of each call. */
export function keepPlans(pool: Pool): Pool {
  const settle = async () => {
    if (!(await runOn(pool, (db) => isDistributed(db.$client)))) {
      const { sql } = pool;
      const options = { ...pool.options, arePlansKept: true };
      Object.assign(pool, { options, ...connect(options) });
      void sql.end({ timeout: 1 }).catch(() => {});
    }
    pool.settle = undefined;
  };
  let settling: Promise<void> | undefined;
  pool.settle = () => {
    settling ??= settle().finally(() => {
      settling = undefined;
    });
    return settling;
  };
  return pool;
}
