import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import { waitInTime } from "../domain/deadline";
import { Failure } from "../domain/failure";
import { getDatabaseOptions } from "./client";
import { getOwnFingerprint, isDatabaseMigrated, refuseOtherSchema } from "./migrations";
import { createPool, type Database } from "./pool";
import { holdSchema, isServed } from "./served-schemas";

/** The time within which the database must answer. */
const CHECK_MS_MAX = 2_000;
/** Answers are repeated for this long, however often they are asked for. */
const KEPT_MS = 1_000;
const WRITE_EVERY_MS = 5_000;
/** The time between two looks whether the database is still of a version that this process may serve. */
const WATCH_EVERY_MS = 5_000;

/**
 * Writes a row as it is. The row's page is pruned at each write, so the table does not grow. A row
 * that a migration has locked is skipped.
 */
const PROBE = sql`
  update drizzle.database_functions set applied_at = applied_at where ctid = (
    select ctid from drizzle.database_functions order by name limit 1 for update skip locked
  )`;

/** Checks whether this process can serve, on a connection of its own. */
export interface Readiness {
  /** Checks that the database answers, has this code's schema, and takes writes. */
  readonly isReady: () => Promise<boolean>;
  /**
   * Takes this process's part in the database: no other version ends its service from then on.
   * @throws {Error} when the database is of a version that this code may not serve
   */
  readonly begin: () => Promise<void>;
  /** Resolves when another version has taken the database over all the same. */
  readonly outdated: Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Creates the check of the open database. The calls of the API cannot hold it up, and it costs a
 * look every 5 s while nobody asks.
 * @param onFailure is called with the reason when the database does not answer or refuses a write
 */
export function createReadiness(onFailure: (error: unknown) => void): Readiness {
  const options = getDatabaseOptions();
  const open = () =>
    createPool(
      { ...options, connectionsMax: 1, statementTimeoutMs: CHECK_MS_MAX, deadlineMs: 0 },
      { max_lifetime: null }, // It holds the schema as long as it lasts.
    );
  let pool = open();
  let timer: NodeJS.Timeout | undefined;
  let writtenAt = Number.NEGATIVE_INFINITY;
  let current: Promise<boolean> | undefined;
  let onOutdated = () => {};
  const outdated = new Promise<void>((resolve) => {
    onOutdated = resolve;
  });

  async function checkOnce(db: Database): Promise<boolean> {
    if (!(await isDatabaseMigrated(db))) return false;
    if (performance.now() - writtenAt > WRITE_EVERY_MS) {
      await db.execute(PROBE);
      writtenAt = performance.now();
    }
    return true;
  }

  /** Takes hold of the schema first: whoever then reads that it is served can rely on it. */
  async function watchOnce({ $client }: Database): Promise<boolean> {
    await holdSchema($client, getOwnFingerprint());
    const mayServe = await isServed($client, getOwnFingerprint());
    if (!mayServe) onOutdated();
    return mayServe;
  }

  async function inTime(check: (db: Database) => Promise<boolean>): Promise<boolean> {
    const used = pool;
    const isLate = () => new Failure("service_unavailable");
    try {
      return await waitInTime(check(drizzle(used)), CHECK_MS_MAX, isLate);
    } catch (error) {
      onFailure(error);
      if (pool !== used) return false;
      // The connection may hang, or hold a state in which nothing can be written.
      pool = open();
      void used.end({ timeout: 0 }).catch(() => {});
      return false;
    }
  }

  return {
    isReady() {
      current ??= inTime(checkOnce).finally(() => {
        setTimeout(() => {
          current = undefined;
        }, KEPT_MS).unref();
      });
      return current;
    },
    outdated,
    async begin() {
      await holdSchema(pool, getOwnFingerprint());
      await refuseOtherSchema(pool);
      timer = setInterval(() => void inTime(watchOnce), WATCH_EVERY_MS).unref();
    },
    close: () => {
      clearInterval(timer);
      return pool.end({ timeout: 1 });
    },
  };
}
