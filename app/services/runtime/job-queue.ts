import { sql } from "drizzle-orm";
import type PgBoss from "pg-boss";
import { type Transaction, withDatabase } from "../../db/client";
import { adaptToBoss, createBoss } from "../../db/job-queue";
import type { QueueName } from "../../domain/queue";

/** A job whose process gives no sign of life for so long is taken up by another one. */
const EXPIRES_AFTER_S = 60;
const SIGN_OF_LIFE_EVERY_MS = 15_000;
/** With the growing delay, the last one comes about half an hour after the first. */
const RETRIES_MAX = 8;
const RETRY_AFTER_S = 5;

const JOB_OPTIONS = {
  expireInSeconds: EXPIRES_AFTER_S,
  retryLimit: RETRIES_MAX,
  retryDelay: RETRY_AFTER_S,
  retryBackoff: true,
};

let boss: Promise<PgBoss> | undefined;

function getBoss(): Promise<PgBoss> {
  boss ??= createBoss((statement) => withDatabase((db) => db.execute(statement)));
  return boss;
}

/**
 * Queues a job in the caller's transaction: it is there when that commits.
 * @param key one job of a key waits at a time; a second one is the first
 */
export async function enqueueJob(
  tx: Transaction,
  name: QueueName,
  data: object,
  key: string,
): Promise<void> {
  const db = adaptToBoss((statement) => tx.execute(statement));
  const queue = await getBoss();
  await queue.insert([{ name, data, singletonKey: key, ...JOB_OPTIONS }], { db });
}

/** Queues a job unless this span of time has had one already, from whichever process. */
export async function enqueueScheduledJob(name: QueueName, everySeconds: number): Promise<void> {
  const queue = await getBoss();
  await queue.send(name, {}, { singletonSeconds: everySeconds, ...JOB_OPTIONS });
}

/**
 * Takes up the next job of a queue and does it. One that fails is repeated later; one whose process is
 * killed is taken up by another within a minute or so.
 * @param run must stand being done again after an end anywhere, and end soon after `signal`
 * @returns whether there was one
 */
export async function runQueuedJob(
  name: QueueName,
  run: (data: unknown, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<boolean> {
  if (signal.aborted) return false;
  const queue = await getBoss();
  const [job] = await queue.fetch<unknown>(name);
  if (!job) return false;
  const timer = setInterval(() => {
    // One that is not written is written the next time; the job can bear to be taken up twice.
    giveSignOfLife(name, job.id).catch(() => {});
  }, SIGN_OF_LIFE_EVERY_MS);
  try {
    await run(job.data, signal);
    await queue.complete(name, job.id);
  } catch (error) {
    // Its name only: a message may hold what a statement was given.
    await queue.fail(name, job.id, { error: error instanceof Error ? error.name : "unknown" });
    if (!signal.aborted) throw error;
  } finally {
    clearInterval(timer);
  }
  return true;
}

async function giveSignOfLife(name: QueueName, id: string): Promise<void> {
  await withDatabase((db) =>
    db.execute(sql`
      update pgboss.job set expire_in = now() - started_on + make_interval(secs => ${EXPIRES_AFTER_S})
      where name = ${name} and id = ${id}::uuid and state = 'active'`),
  );
}

/** Hands over the jobs of processes that are gone, and removes old ones. */
export async function maintainQueue(): Promise<boolean> {
  const queue = await getBoss();
  await queue.maintain();
  return false;
}
