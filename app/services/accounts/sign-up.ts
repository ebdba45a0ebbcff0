import { hashPassword } from "../../auth/passwords";
import type { Operator } from "../../auth/sessions";
import { type Executor, withDatabase } from "../../db/client";
import { operators } from "../../db/schema/operators";
import { Failure } from "../../domain/failure";
import { recordAudit } from "../access/audit-log";
import type { RequestOrigin } from "../access/members";
import { beginSignUpAttempt } from "../runtime/attempt-limit";

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

/**
 * Creates an account without an invitation, for installations where sign-up is open.
 * @throws {Failure} `too_many_sign_ups`, `email_unusable`
 */
export async function signUp(
  { password, ...account }: NewOperator,
  origin: RequestOrigin,
): Promise<Operator> {
  await beginSignUpAttempt(origin.ip);
  const passwordHash = await hashPassword(password);
  return withDatabase((db) =>
    db.transaction((tx) =>
      insertOperator(tx, { ...account, passwordHash, isAdministrator: false }, origin),
    ),
  );
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
