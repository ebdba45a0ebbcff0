import { createHash } from "node:crypto";
import { eq } from "drizzle-orm";
import type { Operator, SignedIn } from "../../auth/sessions";
import { withDatabase } from "../../db/client";
import { operators } from "../../db/schema/operators";
import { Failure } from "../../domain/failure";
import { parseUuid } from "../../domain/uuid";
import { recordAudit } from "../access/audit-log";
import type { RequestOrigin } from "../access/members";
import { recordingRefusals } from "../access/security-events";
import { beginFactorAttempt, forgetAttempt } from "../runtime/attempt-limit";
import { spendCode } from "./authenticator";
import { isChallenge, makeChallenge } from "./challenges";
import { spendRecoveryCode } from "./recovery-codes";

/** The second step of a sign-in whose password was right. */
export interface SecondStep {
  /** The proof of the first step, which lives for five minutes. */
  readonly ticket: string;
}

/** Names the purpose of a ticket. It ends with the password that it was made for. */
function getPurpose(operatorId: string, passwordHash: string) {
  const fingerprint = createHash("sha256").update(passwordHash).digest("base64url");
  return `second step of ${operatorId} ${fingerprint}` as const;
}

/** Begins the second step, after the password was right. */
export async function beginSecondStep({
  id,
  passwordHash,
}: {
  id: string;
  passwordHash: string;
}): Promise<SecondStep> {
  const challenge = await makeChallenge(getPurpose(id, passwordHash));
  return { ticket: `${id}.${Buffer.from(challenge).toString("base64url")}` };
}

/**
 * Signs in by a code of the authenticator app, or a recovery code, after the password. There are
 * five attempts in 15 minutes.
 * @throws {Failure} `sign_in_expired`, `code_wrong`, `too_many_codes`, `account_disabled`,
 *   `gift_card_keys_missing` for a code of the app
 */
export async function finishSignIn(
  { ticket, code }: { ticket: string; code: string },
  origin: RequestOrigin,
): Promise<Operator & SignedIn> {
  const [operatorId = "", proof = ""] = ticket.split(".");
  const id = parseUuid(operatorId);
  const [account] = id
    ? await withDatabase((db) => db.select().from(operators).where(eq(operators.id, id)))
    : [];
  const isValid =
    account && (await isChallenge(proof, getPurpose(account.id, account.passwordHash)));
  if (!isValid) throw new Failure("sign_in_expired");
  const { email, name, isAdministrator, passwordHash } = account;
  await recordingRefusals(email, origin, async () => {
    if (account.disabledAt) throw new Failure("account_disabled");
    const attempt = await beginFactorAttempt(account.id);
    await forgetAttempt(attempt, async (tx) => {
      // A recovery code comes first: it needs no key, so it signs in where the keys of apps are lost.
      const isRecovery = await spendRecoveryCode(tx, account.id, code);
      const isRight = isRecovery || (await spendCode(tx, account.id, code));
      if (!isRight) throw new Failure("code_wrong", { field: "code" });
      await recordAudit(
        tx,
        { operatorId: account.id, email, ...origin },
        {
          pointSystemId: null,
          action: "operator.sign_in",
          subject: email,
          after: { with: isRecovery ? "recovery code" : "authenticator app" },
        },
      );
    });
  });
  return { id: account.id, email, name, isAdministrator, passwordHash };
}
