import { sql } from "drizzle-orm";
import type { Operator } from "../../auth/sessions";
import { type Executor, inTransaction, type Transaction } from "../../db/client";
import { operators } from "../../db/schema/operators";
import { Failure } from "../../domain/failure";
import { recordAudit } from "../access/audit-log";
import type { RequestOrigin } from "../access/members";
import { beginSignUpAttempt } from "../runtime/attempt-limit";
import { hashNewPassword } from "./passwords";

export interface NewOperator {
  /** The e-mail address in lower case. */
  readonly email: string;
  readonly name: string;
  readonly password: string;
}

interface AccountValues extends Omit<NewOperator, "password"> {
  readonly passwordHash: string;
  readonly isAdministrator: boolean;
}

/** The key of the advisory lock: an arbitrary number, the same for every instance. */
const SET_UP_LOCK = 7_014_022;

/**
 * Checks whether any operator exists. The answer holds until the transaction ends: the first
 * operator is made by one transaction at a time.
 */
export async function holdSetUp(tx: Transaction): Promise<{ isSetUp: boolean }> {
  await tx.execute(sql`select pg_advisory_xact_lock(${SET_UP_LOCK})`);
  const existing = await tx.select({ id: operators.id }).from(operators).limit(1);
  return { isSetUp: existing.length > 0 };
}

/**
 * Creates an account without an invitation, for installations where sign-up is open. The first
 * account is never made this way: it runs the installation.
 * @throws {Failure} `too_many_sign_ups`, `email_unusable`, `set_up_needed`
 */
export async function signUp(
  { password, ...account }: NewOperator,
  origin: RequestOrigin,
): Promise<Operator> {
  await beginSignUpAttempt(origin.ip);
  const passwordHash = await hashNewPassword(password, account);
  return inTransaction(async (tx) => {
    const { isSetUp } = await holdSetUp(tx);
    if (!isSetUp) throw new Failure("set_up_needed");
    return insertOperator(tx, { ...account, passwordHash, isAdministrator: false }, origin);
  });
}

/**
 * Stores an account within the transaction that allows it.
 * @throws {Failure} `email_unusable` when another account has the address
 */
export async function insertOperator(
  executor: Executor,
  values: AccountValues,
  origin: RequestOrigin,
): Promise<Operator> {
  const [operator] = await executor
    .insert(operators)
    .values(values)
    .onConflictDoNothing({ target: operators.email })
    .returning({
      id: operators.id,
      email: operators.email,
      name: operators.name,
      isAdministrator: operators.isAdministrator,
    });
  if (!operator) throw new Failure("email_unusable", { field: "email" });
  const { id, email, name, isAdministrator } = operator;
  await recordAudit(
    executor,
    { operatorId: id, email, ...origin },
    {
      pointSystemId: null,
      action: "operator.create",
      subject: email,
      after: { name, isAdministrator },
    },
  );
  return operator;
}
