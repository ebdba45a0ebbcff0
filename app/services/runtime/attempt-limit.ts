import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { type Transaction, withDatabase } from "../../db/client";
import { getClientNetwork } from "../../domain/client-network";
import { Failure } from "../../domain/failure";

const ATTEMPTS_MAX = 10;
const WINDOW_SECONDS = 15 * 60;

/** An attempt that was let through and is counted. */
export interface Attempt {
  readonly subjects: readonly Buffer[];
  /** By the database's clock, in its own notation: JavaScript's dates drop the microseconds. */
  readonly attemptedAt: string;
}

/**
 * Counts an attempt to prove who one is, against its account and its network.
 * @param email as typed: whether there is such an account makes no difference
 * @throws {Failure} `too_many_sign_ins`
 */
export function beginSignInAttempt(email: string, ip: string): Promise<Attempt> {
  const subjects = [`account:${email}`, `ip:${getClientNetwork(ip)}`];
  return beginAttempt(subjects, "too_many_sign_ins");
}

/**
 * Counts an attempt to make an account, against its network: apart from signing in, so that who
 * shares a network with a newcomer still can.
 * @throws {Failure} `too_many_sign_ups`
 */
export function beginSignUpAttempt(ip: string): Promise<Attempt> {
  return beginAttempt([`sign-up:${getClientNetwork(ip)}`], "too_many_sign_ups");
}

/**
 * Counts an attempt against each of its subjects: 10 within any 15 minutes. The window slides, holds
 * for all instances, and refused attempts do not count, so that waiting for as long as the failure
 * says is enough.
 */
async function beginAttempt(
  names: readonly string[],
  refusal: "too_many_sign_ins" | "too_many_sign_ups",
): Promise<Attempt> {
  const subjects = names.map(hashSubject);
  await deleteExpiredAttempts();
  const [verdict] = await withSubjectsLocked(subjects, (tx) =>
    tx.execute<{ retryAfterSeconds: number; attemptedAt: string }>(sql`
      with moment as materialized (select clock_timestamp() as now),
      recent as (
        select s.subject, array(
          select a from unnest(l.attempted_at) a
          where a > now - make_interval(secs => ${WINDOW_SECONDS}) order by a
        ) as attempts
        from moment, unnest(${toArrayLiteral(subjects)}::bytea[]) as s(subject)
        left join sign_in_attempts l on l.subject = s.subject
      ),
      verdict as materialized (
        select max(case when cardinality(attempts) < ${ATTEMPTS_MAX} then 0 else greatest(1, ceil(
          extract(epoch from attempts[cardinality(attempts) - ${ATTEMPTS_MAX - 1}] - now)
          + ${WINDOW_SECONDS}
        )) end)::int as retry_after_seconds
        from moment, recent
      ),
      counted as (
        insert into sign_in_attempts (subject, attempted_at, expires_at)
        select subject, attempts || now, now + make_interval(secs => ${WINDOW_SECONDS})
        from moment, recent, verdict where retry_after_seconds = 0
        on conflict (subject) do update
          set attempted_at = excluded.attempted_at, expires_at = excluded.expires_at
      )
      select retry_after_seconds as "retryAfterSeconds", now::text as "attemptedAt"
      from moment, verdict`),
  );
  if (!verdict) throw new Error("The statement that counts attempts answered nothing");
  const { retryAfterSeconds, attemptedAt } = verdict;
  if (retryAfterSeconds > 0) throw new Failure(refusal, { retryAfterSeconds });
  return { subjects, attemptedAt };
}

/**
 * Takes an attempt back: the right password is no guess.
 * @param also what the right password is followed by, in the same transaction
 */
export async function forgetAttempt<T>(
  { subjects, attemptedAt }: Attempt,
  also: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return withSubjectsLocked(subjects, async (tx) => {
    await tx.execute(sql`
      update sign_in_attempts set attempted_at = array_remove(attempted_at, ${attemptedAt}::timestamptz)
      where subject = any(${toArrayLiteral(subjects)}::bytea[])`);
    return also(tx);
  });
}

/** A statement of its own that waits for no row: within the one that counts, it could deadlock. */
async function deleteExpiredAttempts(): Promise<void> {
  await withDatabase((db) =>
    db.execute(sql`
      delete from sign_in_attempts where subject in (
        select subject from sign_in_attempts where expires_at <= now() for update skip locked
      )`),
  );
}

/** Attempts on one account or from one network take turns; in one order, hence without deadlocks. */
function withSubjectsLocked<T>(
  subjects: readonly Buffer[],
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return withDatabase((db) =>
    db.transaction(async (tx) => {
      await tx.execute(sql`
        select pg_advisory_xact_lock(key) from (
          select distinct hashtextextended('sign-in:' || encode(subject, 'hex'), 0) as key
          from unnest(${toArrayLiteral(subjects)}::bytea[]) as s(subject) order by key
        ) keys`);
      return work(tx);
    }),
  );
}

function hashSubject(subject: string): Buffer {
  return createHash("sha256").update(subject).digest();
}
