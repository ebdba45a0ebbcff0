import { eq } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { operators } from "../../db/schema/operators";
import { Failure } from "../../domain/failure";
import type { Actor } from "../access/members";
import { recordingRefusals } from "../access/security-events";
import { type Attempt, beginConfirmationAttempt } from "../runtime/attempt-limit";
import { verifyPassword } from "./passwords";

/**
 * Checks the password of an operator who is signed in. There are ten attempts in 15 minutes
 * for all of their sessions, which no stranger can use up.
 * @param field the form's field that took it
 * @returns the attempt, which the caller forgets together with its own work
 * @throws {Failure} `too_many_sign_ins`, `password_wrong`
 */
export function checkOwnPassword(
  actor: Actor,
  password: string,
  field: string,
): Promise<{ attempt: Attempt; name: string; passwordHash: string }> {
  return recordingRefusals(actor.email, actor, () => check(actor, password, field));
}

async function check(
  { operatorId }: Actor,
  password: string,
  field: string,
): Promise<{ attempt: Attempt; name: string; passwordHash: string }> {
  const attempt = await beginConfirmationAttempt(operatorId);
  const [account] = await withDatabase((db) =>
    db
      .select({ name: operators.name, passwordHash: operators.passwordHash })
      .from(operators)
      .where(eq(operators.id, operatorId)),
  );
  const isRight = account && (await verifyPassword(account.passwordHash, password));
  if (!isRight) throw new Failure("password_wrong", { field });
  return { attempt, ...account };
}
