import { eq } from "drizzle-orm";
import { knownDeviceOf } from "../../auth/devices";
import type { Operator, SignedIn } from "../../auth/sessions";
import { withDatabase } from "../../db/client";
import { operators } from "../../db/schema/operators";
import { Failure } from "../../domain/failure";
import { recordAudit } from "../access/audit-log";
import type { RequestOrigin } from "../access/members";
import { recordingRefusals } from "../access/security-events";
import { beginSignInAttempt, forgetAttempt } from "../runtime/attempt-limit";
import { hasSecondFactor, readFactors } from "./factors";
import { hashPassword, verifyPassword } from "./passwords";
import { beginSecondStep, type SecondStep } from "./second-step";

export interface Credentials {
  /** The e-mail address in lower case, as accounts store it. */
  readonly email: string;
  readonly password: string;
}

const OPERATOR = {
  id: operators.id,
  email: operators.email,
  name: operators.name,
  isAdministrator: operators.isAdministrator,
  passwordHash: operators.passwordHash,
  disabledAt: operators.disabledAt,
};

let decoyHash: Promise<string> | undefined;

/**
 * Returns the hash that a password for an unknown account is verified against, so that it costs as
 * much work as for a known one.
 */
function getDecoyHash(): Promise<string> {
  const hash = decoyHash ?? hashPassword("no account has this password");
  decoyHash = hash;
  hash.catch(() => {
    decoyHash = undefined;
  });
  return hash;
}

/**
 * Checks an operator's e-mail address and password.
 * @param deviceHashes the ids by which the browser is known, from `readDeviceHashes`
 * @returns the operator, or the second step for one who has a second factor
 * @throws {Failure} `too_many_sign_ins`, `account_disabled`, or `sign_in_refused` for a wrong password
 *   and an unknown account alike
 */
export function signIn(
  credentials: Credentials,
  origin: RequestOrigin,
  deviceHashes: readonly Uint8Array[] = [],
): Promise<(Operator & SignedIn) | SecondStep> {
  const { email } = credentials;
  return recordingRefusals(email, origin, () =>
    checkCredentials(credentials, origin, deviceHashes),
  );
}

async function checkCredentials(
  { email, password }: Credentials,
  origin: RequestOrigin,
  deviceHashes: readonly Uint8Array[],
): Promise<(Operator & SignedIn) | SecondStep> {
  const [account] = await withDatabase((db) =>
    db
      .select({ ...OPERATOR, device: knownDeviceOf(operators.id, deviceHashes) })
      .from(operators)
      .where(eq(operators.email, email)),
  );
  const attempt = await beginSignInAttempt(email, origin.ip, account?.device ?? null);
  // Requested in both cases, so that the time to make it does not reveal whether the account
  // exists.
  const decoy = await getDecoyHash();
  const isRight = await verifyPassword(account?.passwordHash ?? decoy, password);
  if (!account || !isRight) throw new Failure("sign_in_refused");
  if (account.disabledAt) throw new Failure("account_disabled");
  const { id, name, isAdministrator } = account;
  const factors = await withDatabase((db) => readFactors(db, id));
  if (hasSecondFactor(factors)) {
    return forgetAttempt(attempt, () => beginSecondStep(account));
  }
  const actor = { operatorId: id, email: account.email, ...origin };
  await forgetAttempt(attempt, (tx) =>
    recordAudit(tx, actor, {
      pointSystemId: null,
      action: "operator.sign_in",
      subject: account.email,
    }),
  );
  return { id, email: account.email, name, isAdministrator, passwordHash: account.passwordHash };
}
