import { eq } from "drizzle-orm";
import { hashPassword, verifyPassword } from "../auth/passwords";
import { endOperatorSessions, type Operator } from "../auth/sessions";
import { withDatabase } from "../db/client";
import { operators } from "../db/schema/operators";
import { Failure } from "../domain/failure";
import { beginSignInAttempt, forgetSignInAttempt } from "./sign-in-limit";

export interface SignIn {
  /** In lower case, as accounts have it. */
  readonly email: string;
  readonly password: string;
  readonly ip: string;
}

let decoyHash: Promise<string> | undefined;

/** What the password for an unknown account is verified against: as much work as for a known one. */
function getDecoyHash(): Promise<string> {
  decoyHash ??= hashPassword("no account has this password");
  return decoyHash;
}

/**
 * Checks an operator's e-mail address and password.
 * @throws {Failure} `too_many_sign_ins`, or `sign_in_refused` for a wrong password and an unknown
 *   account alike
 */
export async function signIn({ email, password, ip }: SignIn): Promise<Operator> {
  const attempt = await beginSignInAttempt(email, ip);
  // Asked for in either case, so that making it never tells the two apart.
  const decoy = await getDecoyHash();
  const [account] = await withDatabase((db) =>
    db.select().from(operators).where(eq(operators.email, email)),
  );
  const isRight = await verifyPassword(account?.passwordHash ?? decoy, password);
  if (!account || !isRight) throw new Failure("sign_in_refused");
  await forgetSignInAttempt(attempt);
  const { id, name, isAdministrator } = account;
  return { id, email: account.email, name, isAdministrator };
}

/** Sets an operator's password and signs the operator out everywhere, both or neither. */
export async function changePassword(operatorId: string, password: string): Promise<void> {
  const passwordHash = await hashPassword(password);
  await withDatabase((db) =>
    db.transaction(async (tx) => {
      await tx.update(operators).set({ passwordHash }).where(eq(operators.id, operatorId));
      await endOperatorSessions(tx, operatorId);
    }),
  );
}
