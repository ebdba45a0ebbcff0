import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import { waitInTime } from "../domain/deadline";
import { Failure } from "../domain/failure";
import { createPool, getDatabaseOptions } from "./client";
import { isDatabaseMigrated } from "./migrations";

/** The time within which the database must answer. */
const CHECK_MS_MAX = 2_000;
/** Answers are repeated for this long, however often they are asked for. */
const KEPT_MS = 1_000;
const WRITE_EVERY_MS = 5_000;

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
  readonly close: () => Promise<void>;
}

/**
 * Creates the check of the open database. The calls of the API cannot hold it up, and it costs
 * nothing while nobody asks.
 * @param onFailure is called with the reason when the database does not answer or refuses a write
 */
export function createReadiness(onFailure: (error: unknown) => void): Readiness {
  const options = getDatabaseOptions();
  const open = () =>
    createPool({ ...options, connectionsMax: 1, statementTimeoutMs: CHECK_MS_MAX, deadlineMs: 0 });
  let pool = open();
  let writtenAt = Number.NEGATIVE_INFINITY;
  let current: Promise<boolean> | undefined;

  async function checkOnce(): Promise<boolean> {
    const db = drizzle(pool);
    if (!(await isDatabaseMigrated(db))) return false;
    if (performance.now() - writtenAt > WRITE_EVERY_MS) {
      await db.execute(PROBE);
      writtenAt = performance.now();
    }
    return true;
  }

  async function check(): Promise<boolean> {
    const used = pool;
    try {
      return await waitInTime(checkOnce(), CHECK_MS_MAX, () => new Failure("service_unavailable"));
    } catch (error) {
      onFailure(error);
      // The connection may hang, or hold a state in which nothing can be written.
      pool = open();
      void used.end({ timeout: 0 }).catch(() => {});
      return false;
    }
  }

  return {
    isReady() {
      current ??= check().finally(() => {
        setTimeout(() => {
          current = undefined;
        }, KEPT_MS).unref();
      });
      return current;
    },
    close: () => pool.end({ timeout: 1 }),
  };
}
