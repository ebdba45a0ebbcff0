import { type SQL, sql } from "drizzle-orm";
import { type Transaction, withDatabase } from "../../db/client";
import { createRests, JOB_REST_MS_MAX } from "../../db/give-way";
import { jobs } from "../../db/schema/jobs";

/** The queues of work that waits in the database for the first free process. */
export type QueueName =
  | "build-allocation"
  | "rebuild-ranks"
  | "run-import"
  | "purge-point-system"
  | "purge-boards"
  | "clear-sandbox"
  | "fill-board"
  | "refresh-scores"
  | "make-score-signals";

/**
 * Does a job, or a part of it. It may be repeated after an interruption at any point, and ends soon after `signal`.
 * @returns `true` when a part is left; an object when that part has these data
 */
export type JobWork = (data: unknown, signal: AbortSignal) => Promise<unknown>;

/** The data by which a job is known as small: a loop of its own takes such jobs, too. */
export const SMALL_JOB = { isSmall: true } as const;

/** The time after which what is left of a job lets those that wait go first. */
const TURN_MS = 2_000;
/** The time after which a job without a heartbeat is taken over by another process. */
const EXPIRES_AFTER_S = 60;
const SIGN_OF_LIFE_EVERY_MS = 15_000;
/**
 * The most retries. With the growing delay, the last one comes about half an hour after the first.
 */
const RETRIES_MAX = 8;
const RETRY_AFTER_S = 5;
/** The days for which ended jobs are kept. A schedule's slot is taken while its job is kept. */
const KEPT_DAYS = 3;

const expiry = sql.raw(`clock_timestamp() + interval '${EXPIRES_AFTER_S} s'`);

/**
 * Ends a failed attempt. The delay doubles with each attempt, and up to as much again is added at
 * random.
 */
const endAttempt = sql.raw(`
  state = case when attempts > ${RETRIES_MAX} then 'failed' else 'retry' end,
  run_after = clock_timestamp()
    + interval '${RETRY_AFTER_S} s' * 2 ^ (attempts - 1) * (1 + random()),
  ended_at = case when attempts > ${RETRIES_MAX} then clock_timestamp() end`);

/**
 * Queues a job in the caller's transaction; it exists when that commits.
 * @param key the job's key; while a job of a key waits, no second one is added
 */
export async function enqueueJob(
  tx: Transaction,
  queue: QueueName,
  data: object,
  key: string,
): Promise<void> {
  await tx.insert(jobs).values({ queue, key, data, state: "waiting" }).onConflictDoNothing();
}

/**
 * Queues jobs again that were given up: those of `due` of which none waits or runs any more.
 * @param due selects the key and the data of each job whose work is not done
 * @returns whether there were any
 */
export async function enqueueAbandonedJobs(
  tx: Transaction,
  queue: QueueName,
  due: SQL,
): Promise<boolean> {
  const abandoned = await tx.execute<{ key: string; data: object }>(sql`
    select d.key, d.data from (${due}) d(key, data)
    where d.key <> all(array(
      select j.key from jobs j
      where j.queue = ${queue} and j.key is not null and j.state in ('waiting', 'retry', 'active')
    ))`);
  for (const { key, data } of abandoned) await enqueueJob(tx, queue, data, key);
  return abandoned.length > 0;
}

/** Queues a job, unless any process has queued one in this span of time. */
export async function enqueueScheduledJob(queue: QueueName, everySeconds: number): Promise<void> {
  const slot = sql`floor(extract(epoch from now()) / ${everySeconds}::int)`;
  await withDatabase((db) =>
    db.insert(jobs).values({ queue, slot, data: {}, state: "waiting" }).onConflictDoNothing(),
  );
}

/**
 * Claims the next job of a queue and does it, for about two seconds when it has parts. What is left is queued behind the
 * others, so that no point system's large job keeps those of others waiting. After its parts it rests while others use the
 * database. A job that fails is repeated later. One that a stop breaks off is handed over at once, and that of a killed
 * process within about a minute.
 * @param context `report` receives the failure of the job; with `isSmallOnly`, only small jobs are claimed
 * @returns whether there was a job
 */
export async function runQueuedJob(
  queue: QueueName,
  work: JobWork,
  context: {
    readonly signal: AbortSignal;
    readonly report: (error: unknown) => void;
    readonly isSmallOnly?: boolean;
  },
): Promise<boolean> {
  const { signal, report, isSmallOnly = false } = context;
  if (signal.aborted) return false;
  const [job] = await withDatabase((db) =>
    db.execute<{ id: string; attempts: number; data: unknown }>(sql`
      update jobs set state = 'active', attempts = attempts + 1, expires_at = ${expiry}
      where id = (
        select id from jobs
        where queue = ${queue} and state in ('waiting', 'retry') and run_after <= now()
          and data @> ${JSON.stringify(isSmallOnly ? SMALL_JOB : {})}::text::jsonb
        order by run_after, id limit 1 for update skip locked
      )
      returning id, attempts, data`),
  );
  if (!job) return false;
  // Another process may have claimed the job since; its attempt has a higher number.
  const change = (set: SQL) => sql`
    update jobs set ${set}
    where id = ${job.id} and state = 'active' and attempts = ${job.attempts}`;
  const write = (statement: SQL) => withDatabase((db) => db.execute(statement));
  const end = change(sql`state = 'completed', ended_at = clock_timestamp()`);
  const timer = setInterval(() => {
    // A heartbeat that fails is written the next time; the job may safely be claimed twice.
    write(change(sql`expires_at = ${expiry}`)).catch(() => {});
  }, SIGN_OF_LIFE_EVERY_MS);
  const turnEndsAtMs = performance.now() + TURN_MS;
  const rest = createRests(JOB_REST_MS_MAX);
  let { data } = job;
  /** Queues what is left behind the others. */
  const handOver = (attempts: number) =>
    write(sql`
      with ended as (${end} returning queue, key)
      insert into jobs (queue, key, data, state, attempts)
      select queue, key, ${JSON.stringify(data)}::text::jsonb, 'waiting', ${attempts}::int from ended
      on conflict do nothing`);
  try {
    for (;;) {
      const left = await work(data, signal);
      if (left !== true && !isObject(left)) break;
      if (left !== true) data = left;
      // What it wrote makes work for the statistics and the ranks, too.
      await rest(signal);
      if (!signal.aborted && performance.now() < turnEndsAtMs) continue;
      await handOver(0);
      return true;
    }
    await write(end);
  } catch (error) {
    if (signal.aborted) {
      await handOver(job.attempts - 1);
    } else {
      await write(change(endAttempt));
      report(error);
    }
  } finally {
    clearInterval(timer);
  }
  return true;
}

const isObject = (value: unknown) => typeof value === "object" && value !== null;

/** Releases the jobs of processes that are gone, and removes old jobs. */
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
