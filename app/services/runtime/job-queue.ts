import { type SQL, sql } from "drizzle-orm";
import { type Transaction, withDatabase } from "../../db/client";
import { jobs } from "../../db/schema/jobs";

/** Work that waits in the database for whichever process takes it up first. */
export type QueueName =
  | "build-allocation"
  | "refresh-scores"
  | "make-score-signals"
  | "reconcile-claims";

/** A job whose process gives no sign of life for so long is taken up by another one. */
const EXPIRES_AFTER_S = 60;
const SIGN_OF_LIFE_EVERY_MS = 15_000;
/** With the growing delay, the last one comes about half an hour after the first. */
const RETRIES_MAX = 8;
const RETRY_AFTER_S = 5;
/** Jobs that have ended are kept so long: a schedule's slot is taken while its job is kept. */
const KEPT_DAYS = 3;

const expiry = sql.raw(`clock_timestamp() + interval '${EXPIRES_AFTER_S} s'`);

/** Ends an attempt that did not succeed: each next one comes after twice the time, or as much again. */
const endAttempt = sql.raw(`
  state = case when attempts > ${RETRIES_MAX} then 'failed' else 'retry' end,
  run_after = clock_timestamp()
    + interval '${RETRY_AFTER_S} s' * 2 ^ (attempts - 1) * (1 + random()),
  ended_at = case when attempts > ${RETRIES_MAX} then clock_timestamp() end`);

/**
 * Queues a job in the caller's transaction: it is there when that commits.
 * @param key one job of a key waits at a time; a second one is the first
 */
export async function enqueueJob(
  tx: Transaction,
  queue: QueueName,
  data: object,
  key: string,
): Promise<void> {
  await tx.insert(jobs).values({ queue, key, data, state: "waiting" }).onConflictDoNothing();
}

/** Queues a job unless this span of time has had one already, from whichever process. */
export async function enqueueScheduledJob(queue: QueueName, everySeconds: number): Promise<void> {
  const slot = sql`floor(extract(epoch from now()) / ${everySeconds}::int)`;
  await withDatabase((db) =>
    db.insert(jobs).values({ queue, slot, data: {}, state: "waiting" }).onConflictDoNothing(),
  );
}

/**
 * Takes up the next job of a queue and does it. One that fails is repeated later; one whose process is
 * killed is taken up by another within a minute or so.
 * @param run must stand being done again after an end anywhere, and end soon after `signal`
 * @returns whether there was one
 */
export async function runQueuedJob(
  queue: QueueName,
  run: (data: unknown, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<boolean> {
  if (signal.aborted) return false;
  const [job] = await withDatabase((db) =>
    db.execute<{ id: string; attempts: number; data: unknown }>(sql`
      update jobs set state = 'active', attempts = attempts + 1, expires_at = ${expiry}
      where id = (
        select id from jobs
        where queue = ${queue} and state in ('waiting', 'retry') and run_after <= now()
        order by id limit 1 for update skip locked
      )
      returning id, attempts, data`),
  );
  if (!job) return false;
  // Another process may have taken it up since: that one's attempt is a later one.
  const change = (set: SQL) =>
    withDatabase((db) =>
      db.execute(sql`
        update jobs set ${set}
        where id = ${job.id} and state = 'active' and attempts = ${job.attempts}`),
    );
  const timer = setInterval(() => {
    // One that is not written is written the next time; the job can bear to be taken up twice.
    change(sql`expires_at = ${expiry}`).catch(() => {});
  }, SIGN_OF_LIFE_EVERY_MS);
  try {
    await run(job.data, signal);
    await change(sql`state = 'completed', ended_at = clock_timestamp()`);
  } catch (error) {
    await change(endAttempt);
    if (!signal.aborted) throw error;
  } finally {
    clearInterval(timer);
  }
  return true;
}

/** Hands over the jobs of processes that are gone, and removes old ones. */
export async function maintainQueue(): Promise<boolean> {
  await withDatabase(async (db) => {
    await db.execute(sql`
      update jobs set ${endAttempt}
      where id = any(array(
        select id from jobs where state = 'active' and expires_at < now() for update skip locked
      ))`);
    await db.execute(
      sql`delete from jobs where ended_at < now() - interval '${sql.raw(String(KEPT_DAYS))} days'`,
    );
  });
  return false;
}
