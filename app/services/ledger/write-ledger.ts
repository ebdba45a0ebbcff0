import { sql } from "drizzle-orm";
import { type Transaction, withDatabase } from "../../db/client";
import { isRetryable } from "../../db/errors";
import { Failure } from "../../domain/failure";
import { noteWrittenLedger } from "../access/own-writes";

const ATTEMPTS_MAX = 3;

/**
 * Runs `work` in a transaction as the point system's only writer. Its reads still hold when it
 * writes, and readers see all of its changes or none. The point system is not deleted meanwhile.
 * @throws {Failure} `not_found` when it is deleted, `service_unavailable` as `withDatabase`, and the
 *   failures of `work`
 */
export async function writeLedger<T>(
  pointSystemId: string,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await withDatabase((db) =>
        db.transaction(async (tx) => {
          await lockLedger(tx, pointSystemId);
          return work(tx);
        }),
      );
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !isRetryable(error)) throw error;
    } finally {
      noteWrittenLedger(pointSystemId);
    }
  }
}

/**
 * Locks the ledger: this transaction is the point system's only writer until it ends. The point
 * system's row is read under the lock, for share, so a deletion waits for its writers, and later ones
 * do not find it.
 * @throws {Failure} `not_found` when it is deleted
 */
export async function lockLedger(tx: Transaction, pointSystemId: string): Promise<void> {
  await tx.execute(sql`select lock_ledger(${pointSystemId}::uuid)`);
  const [row] = await tx.execute<{ isHeld: boolean }>(
    sql`select hold_point_system(${pointSystemId}::uuid) as "isHeld"`,
  );
  if (!row?.isHeld) throw new Failure("not_found");
}

/** Reads the clock that dates every credit, in whole milliseconds. */
export async function readDatabaseClock(tx: Transaction): Promise<Date> {
  const [row] = await tx.execute<{ nowMs: number }>(
    sql`select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"`,
  );
  return new Date((row as { nowMs: number }).nowMs);
}

/** Takes the next position of the ledger. The caller holds the ledger lock. */
export async function takeLedgerSeq(tx: Transaction, pointSystemId: string): Promise<string> {
  const [row] = await tx.execute<{ seq: string }>(
    sql`select next_ledger_seq(${pointSystemId}::uuid)::text as seq`,
  );
  return (row as { seq: string }).seq;
}
