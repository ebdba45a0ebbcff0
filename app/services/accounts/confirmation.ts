import { and, eq, sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { sessions } from "../../db/schema/sessions";
import { Failure } from "../../domain/failure";
import { recordAudit } from "../access/audit-log";
import type { Actor } from "../access/members";
import { forgetAttempt } from "../runtime/attempt-limit";
import { checkOwnPassword } from "./own-password";

/** The time for which a browser counts as confirmed after its operator gave the password. */
const CONFIRMED_MINUTES = 10;

/**
 * Lets a step pass whose operator gave the password in this browser within the last ten minutes, at
 * sign-in or for an earlier step. Otherwise it takes the password now.
 * @param sessionId the browser's session, as the database stores it
 * @param field the form's field that takes the password
 * @returns whether the password was given now
 * @throws {Failure} `password_needed` without a password, `password_wrong`, `too_many_sign_ins`
 */
export async function confirmOperator(
  actor: Actor,
  sessionId: string | null,
  { password, field }: { password: string; field: string },
): Promise<boolean> {
  const session = and(eq(sessions.id, sessionId ?? ""), eq(sessions.operatorId, actor.operatorId));
  const [found] = await withDatabase((db) =>
    db
      .select({
        isConfirmed: sql<boolean>`${sessions.confirmedAt}
          > now() - make_interval(mins => ${CONFIRMED_MINUTES})`,
      })
      .from(sessions)
      .where(session),
  );
  if (found?.isConfirmed) return false;
  if (password === "") throw new Failure("password_needed", { field });
  const { attempt } = await checkOwnPassword(actor, password, field);
  return forgetAttempt(attempt, async (tx) => {
    await tx.update(sessions).set({ confirmedAt: sql`now()` }).where(session);
    await recordAudit(tx, actor, {
      pointSystemId: null,
      action: "operator.confirm",
      subject: actor.email,
    });
    return true;
  });
}
