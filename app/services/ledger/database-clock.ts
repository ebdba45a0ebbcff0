import { sql } from "drizzle-orm";
import { databaseState, withDatabase } from "../../db/client";

/** The time for which a reading of the clock counts. */
const READING_COUNTS_MS = 10_000;

/**
 * Creates an estimate of the database's clock, which may differ from this machine's by days.
 * Times of this process are those of `performance.now()`.
 */
function createDatabaseClock() {
  /** How far the database's clock is ahead at least, and when that was read. */
  let reading: { readonly aheadMs: number; readonly readAtMs: number } | null = null;
  return {
    /** Notes a time of the database's clock that has just arrived. */
    note(databaseMs: number): void {
      const readAtMs = performance.now();
      const aheadMs = databaseMs - readAtMs;
      // The journey takes time, so the largest difference is the closest.
      if (reading && readAtMs - reading.readAtMs < READING_COUNTS_MS && aheadMs < reading.aheadMs) {
        return;
      }
      reading = { aheadMs, readAtMs };
    },
    /** Returns the database's time at a time of this process, rather too early; null when unknown. */
    at(timeMs: number): Date | null {
      return reading && new Date(timeMs + reading.aheadMs);
    },
  };
}

/** The clock of the process's database. */
export const getDatabaseClock = databaseState(() => createDatabaseClock());

/** Reads the database's clock, so that the first credit of a process is not written too late either. */
export async function learnDatabaseClock(): Promise<void> {
  const [row] = await withDatabase((db) =>
    db.execute<{ clockMs: number }>(
      sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as "clockMs"`,
    ),
  );
  if (row) getDatabaseClock().note(row.clockMs);
}
