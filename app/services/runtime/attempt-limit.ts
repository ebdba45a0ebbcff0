import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { inTransaction, type Transaction, withDatabase } from "../../db/client";
import { getClientNetwork } from "../../domain/client-network";
import { Failure } from "../../domain/failure";
import {
  type Admission,
  buildAdmission,
  type SlidingWindow,
  toRetryAfterSeconds,
} from "./sliding-window";

const WINDOW: SlidingWindow = {
  table: "sign_in_attempts",
  subject: "subject",
  moments: "attempted_at",
  callsMax: 10,
  seconds: 15 * 60,
};

/** An attempt that was admitted and counted, with the time of each of its subjects. */
export type Attempt = readonly Pick<Admission, "subject" | "lastAt">[];

/**
 * Counts an attempt to sign in. In a browser in which the operator signed in before, it counts
 * against that browser alone: strangers cannot use up its attempts. Elsewhere it counts against the
 * account and the network.
 * @param email the address as typed; it makes no difference whether such an account exists
 * @param device the hash of the browser's id, if it is known for this account
 * @throws {Failure} `too_many_sign_ins`
 */
export function beginSignInAttempt(
  email: string,
  ip: string,
  device: string | null,
): Promise<Attempt> {
  const subjects =
    device === null
      ? [`account:${email}`, `ip:${getClientNetwork(ip)}`]
      : [`device:${email}:${device}`];
  return beginAttempt(subjects, "too_many_sign_ins");
}

/**
 * Counts an attempt to give the password within a session. Only sessions of the operator use these
 * up.
 * @throws {Failure} `too_many_sign_ins`
 */
export function beginConfirmationAttempt(operatorId: string): Promise<Attempt> {
  return beginAttempt([`session:${operatorId}`], "too_many_sign_ins");
}

/** Codes have six digits: few guesses must be let try. */
const FACTOR_WINDOW: SlidingWindow = { ...WINDOW, callsMax: 5 };

/**
 * Counts an attempt to give a code of the authenticator app or a recovery code. The password comes
 * before it, so no stranger uses these up.
 * @throws {Failure} `too_many_codes`
 */
export function beginFactorAttempt(operatorId: string): Promise<Attempt> {
  return beginAttempt([`factor:${operatorId}`], "too_many_codes", FACTOR_WINDOW);
}

/**
 * Counts an attempt to create an account, against its network. It is counted apart from sign-ins,
 * so that others on the same network can still sign in.
 * @throws {Failure} `too_many_sign_ups`
 */
export function beginSignUpAttempt(ip: string): Promise<Attempt> {
  return beginAttempt([`sign-up:${getClientNetwork(ip)}`], "too_many_sign_ups");
}

/**
 * Counts an attempt against each of its subjects, or against none of them if one has no room.
 * Waiting for the time in the failure is enough.
 */
async function beginAttempt(
  names: readonly string[],
  refusal: "too_many_sign_ins" | "too_many_sign_ups" | "too_many_codes",
  window = WINDOW,
): Promise<Attempt> {
  const demands = names.map((name) => ({ subject: hashSubject(name), calls: 1 }));
  await deleteExpiredAttempts();
  return inTransaction(async (tx) => {
    const admissions = await tx.execute<Admission>(buildAdmission(window, demands));
    const refused = admissions.filter(({ admitted }) => admitted === 0);
    if (refused.length === 0) return admissions;
    const waitMs = Math.max(...refused.map((admission) => admission.waitMs ?? 0));
    throw new Failure(refusal, { retryAfterSeconds: toRetryAfterSeconds(waitMs) });
  });
}

/**
 * Removes an attempt, since a right password is not a guess.
 * @param also the work that follows a right password, in the same transaction
 */
export async function forgetAttempt<T>(
  attempt: Attempt,
  also: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return inTransaction(async (tx) => {
    await tx.execute(sql`
        with forgotten as (
          select decode(subject, 'hex') as subject, moment from unnest(
            ${toArrayLiteral(attempt.map(({ subject }) => subject))}::text[],
            ${toArrayLiteral(attempt.map(({ lastAt }) => lastAt))}::timestamptz[]
          ) as f(subject, moment)
        ),
        -- Locked in the order in which attempts lock them.
        locked as materialized (
          select subject from sign_in_attempts
          where subject in (select subject from forgotten) order by subject for update
        )
        update sign_in_attempts a set attempted_at = array_remove(a.attempted_at, f.moment)
        from forgotten f join locked using (subject)
        where a.subject = f.subject`);
    return also(tx);
  });
}

/**
 * Deletes expired attempts. It is a statement of its own that skips locked rows: within the
 * counting statement it could deadlock.
 */
async function deleteExpiredAttempts(): Promise<void> {
  await withDatabase((db) =>
    db.execute(sql`
      delete from sign_in_attempts where subject in (
        select subject from sign_in_attempts where expires_at <= now() for update skip locked
      )`),
  );
}

function hashSubject(subject: string): Buffer {
  return createHash("sha256").update(subject).digest();
}
