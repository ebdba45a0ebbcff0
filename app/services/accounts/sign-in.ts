import { eq } from "drizzle-orm";
import { hashPassword, verifyPassword } from "../../auth/passwords";
import type { Operator } from "../../auth/sessions";
import { withDatabase } from "../../db/client";
import { operators } from "../../db/schema/operators";
import { Failure } from "../../domain/failure";
import { recordAudit } from "../access/audit-log";
import type { RequestOrigin } from "../access/members";
import { beginSignInAttempt, forgetAttempt } from "../runtime/attempt-limit";

export interface Credentials {
  /** The e-mail address in lower case, as accounts store it. */
  readonly email: string;
  readonly password: string;
}

let decoyHash: Promise<string> | undefined;

/**
 * Returns the hash that a password for an unknown account is verified against, so that it costs as
 * much work as for a known one.
 */
function getDecoyHash(): Promise<string> {
  decoyHash ??= hashPassword("no account has this password");
  return decoyHash;
}

/**
 * Checks an operator's e-mail address and password.
 * @throws {Failure} `too_many_sign_ins`, or `sign_in_refused` for a wrong password and an unknown
 *   account alike
 */
export async function signIn(
  { email, password }: Credentials,
  origin: RequestOrigin,
): Promise<Operator> {
  const attempt = await beginSignInAttempt(email, origin.ip);
  // Requested in both cases, so that the time to make it does not reveal whether the account
  // exists.
  const decoy = await getDecoyHash();
  const [account] = await withDatabase((db) =>
    db.select().from(operators).where(eq(operators.email, email)),
  );
  const isRight = await verifyPassword(account?.passwordHash ?? decoy, password);
  if (!account || !isRight) throw new Failure("sign_in_refused");
  const { id, name, isAdministrator } = account;
  const actor = { operatorId: id, email: account.email, ...origin };
  await forgetAttempt(attempt, (tx) =>
    recordAudit(tx, actor, {
      pointSystemId: null,
      action: "operator.sign_in",
      subject: account.email,
    }),
  );
  return { id, email: account.email, name, isAdministrator };
}
