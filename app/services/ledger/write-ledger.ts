import { sql } from "drizzle-orm";
import { countConnections, inTransaction, type Transaction } from "../../db/client";
import { isLocked, isRetryable, NotSentError } from "../../db/errors";
import type { Database } from "../../db/pool";
import { DATABASE_DEADLINE_MS } from "../../domain/deadline";
import { Failure } from "../../domain/failure";
import { noteWrittenLedger } from "../access/own-writes";
import { createBatcher } from "../runtime/batcher";

const ATTEMPTS_MAX = 3;
/** The time after which a writer that met a locked ledger tries again. */
const RETRY_AFTER_MS = 50;
/** Many times what a write takes. */
const SLOW_AFTER_MS = 250;
/** The time that an answer needs from the end of its work to its caller. */
const ANSWER_MS = 250;

interface Write {
  readonly pointSystemId: string;
  readonly work: (tx: Transaction) => Promise<unknown>;
}

/** Another writer holds the ledger for longer than half a second. Nothing was done. */
export class LedgerLockedError extends Error {
  constructor(cause: unknown) {
    super("The ledger is locked", { cause });
    this.name = "LedgerLockedError";
  }
}

const isOfLock = (error: unknown) =>
  error instanceof Failure && error.cause instanceof LedgerLockedError;

/**
 * The writers of a point system, one after the other. At the ledger's lock they would wait for each other all the same,
 * but each on a connection that the reads and writes of all other point systems share. So all writers together have half
 * of these, and those of locked and slow point systems a quarter beside it.
 */
const runWrite = createBatcher<Write, PromiseSettledResult<unknown>>({
  run: async ([write], { endsAtMs }) => {
    const [outcome] = await Promise.allSettled([runInTime(write as Write, endsAtMs - ANSWER_MS)]);
    if (outcome.status === "rejected" && isOfLock(outcome.reason)) throw outcome.reason;
    return [outcome];
  },
  callsMax: 1,
  waitingMax: 2_000,
  waitingOfGroupMax: 500,
  deadlineMs: DATABASE_DEADLINE_MS,
  group: ({ pointSystemId }) => pointSystemId,
  slowAfterMs: SLOW_AFTER_MS,
  // A refused write is rolled back and waits for no disk.
  hasWritten: (_, [outcome]) => outcome?.status === "fulfilled",
  countConnections: () => {
    const count = countConnections("shared");
    const sound = Math.max(1, Math.floor(count / 2));
    return { sound, troubled: Math.min(count - sound, Math.ceil(count / 4)) };
  },
  retryAfterMs: () => RETRY_AFTER_MS,
  lateError: (_, isUnderWay) =>
    new Failure("service_unavailable", isUnderWay ? {} : { cause: new NotSentError() }),
});

/**
 * Runs `work` in a transaction as the point system's only writer. Its reads still hold when it
 * writes, and readers see all of its changes or none. The point system is not deleted meanwhile.
 * Nothing is written once the caller no longer waits.
 * @throws {Failure} `not_found` when it is deleted, `service_unavailable` as `withDatabase`, and the
 *   failures of `work`
 */
export async function writeLedger<T>(
  pointSystemId: string,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  try {
    const outcome = await runWrite({ pointSystemId, work });
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value as T;
  } finally {
    noteWrittenLedger(pointSystemId);
  }
}

async function runInTime({ pointSystemId, work }: Write, endsAtMs: number): Promise<unknown> {
  const refuseIfLate = () => {
    if (performance.now() < endsAtMs) return;
    throw new Failure("service_unavailable", { cause: new NotSentError() });
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inTransaction(async (tx) => {
        refuseIfLate();
        await lockLedgerInTime(tx, pointSystemId);
        const answer = await work(tx);
        // Thrown here, it rolls the transaction back.
        refuseIfLate();
        return answer;
      });
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !isRetryable(error)) throw error;
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
  await holdPointSystem(tx, pointSystemId);
}

/**
 * Locks the ledger as `lockLedger`, for work behind which that of other point systems waits.
 * @throws {LedgerLockedError} when another writer holds it for longer than half a second
 */
export async function lockLedgerInTime(tx: Transaction, pointSystemId: string): Promise<void> {
  await tx.execute(sql`select lock_ledger_in_time(${pointSystemId}::uuid)`).catch((error) => {
    throw isLocked(error) ? new LedgerLockedError(error) : error;
  });
  await holdPointSystem(tx, pointSystemId);
}

/**
 * Keeps a point system from being deleted until the transaction ends.
 * @throws {Failure} `not_found` when it is deleted
 */
export async function holdPointSystem(tx: Transaction, pointSystemId: string): Promise<void> {
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

/**
 * Reads the ledger's clock while nobody writes. Later statements see all that is dated before that time; what they may
 * miss is dated at that time or later. The caller holds no row that a writer could wait for. It gives up where another
 * holds the ledger for long: the caller is a job, behind which those of other point systems wait.
 */
export async function readSettledClock(db: Database, pointSystemId: string): Promise<Date> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction(async (tx) => {
        await tx.execute(sql`select lock_ledger_in_time(${pointSystemId}::uuid)`);
        return readDatabaseClock(tx);
      });
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !isLocked(error)) throw error;
    }
  }
}

/** Takes the next position of the ledger. The caller holds the ledger lock. */
export async function takeLedgerSeq(tx: Transaction, pointSystemId: string): Promise<string> {
  const [row] = await tx.execute<{ seq: string }>(
    sql`select next_ledger_seq(${pointSystemId}::uuid)::text as seq`,
  );
  return (row as { seq: string }).seq;
}
