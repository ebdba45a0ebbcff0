import { eq } from "drizzle-orm";
import { forgetDevices } from "../../auth/devices";
import { endOperatorSessions, type Operator } from "../../auth/sessions";
import { type Executor, inTransaction, withDatabase } from "../../db/client";
import { accountLinks, operators } from "../../db/schema/operators";
import type { Person } from "../../domain/accounts/password";
import { Failure } from "../../domain/failure";
import type { Administrator } from "../access/administrators";
import { recordAudit } from "../access/audit-log";
import type { RequestOrigin } from "../access/members";
import { deleteExpiredLinks, insertLink, isOpenLink } from "./account-links";
import { hasSecondFactor, readFactors } from "./factors";
import { addNotice } from "./notices";
import { lockOperator } from "./operators";
import { hashNewPassword } from "./passwords";

/**
 * Makes a link that sets an operator's password once, within a day. A link made earlier stops
 * working.
 * @param by null for the command line
 * @returns the link's token, which is stored nowhere
 * @throws {Failure} `not_found`, `account_disabled`
 */
export async function createResetLink(
  by: Administrator | null,
  operatorId: string,
): Promise<{ token: string; name: string; email: string }> {
  return inTransaction(async (tx) => {
    const operator = await lockOperator(tx, by, operatorId);
    const { id } = operator;
    if (operator.disabledAt) throw new Failure("account_disabled");
    await deleteExpiredLinks(tx);
    await deleteResetLinks(tx, id);
    const createdBy = by?.actor.operatorId ?? null;
    const { token } = await insertLink(tx, { kind: "password_reset", operatorId: id, createdBy });
    const { email: detail, ip } = by?.actor ?? { email: "the command line", ip: "" };
    await addNotice(tx, id, { kind: "reset_link", detail, ip });
    await recordAudit(tx, by?.actor ?? null, {
      pointSystemId: null,
      action: "operator.reset_link",
      subject: operator.email,
    });
    return { token, ...operator };
  });
}

/** Finds the account whose password a token can set. */
export async function findResetLink(token: string): Promise<Person | null> {
  const [row] = await withDatabase((db) =>
    db
      .select({ name: operators.name, email: operators.email })
      .from(accountLinks)
      .innerJoin(operators, eq(operators.id, accountLinks.operatorId))
      .where(isOpenLink("password_reset", token)),
  );
  return row ?? null;
}

/**
 * Sets a password by a link, and signs its operator out everywhere.
 * @returns the operator; null for one who has a second factor, whom the link does not sign in
 * @throws {Failure} `link_invalid`
 */
export async function resetPassword(
  token: string,
  password: string,
  origin: RequestOrigin,
): Promise<Operator | null> {
  // A hash is costly, so it is only made for a caller with a valid link.
  const person = await findResetLink(token);
  if (!person) throw new Failure("link_invalid");
  const passwordHash = await hashNewPassword(password, person);
  return inTransaction(async (tx) => {
    const isReset = isOpenLink("password_reset", token);
    // The operator is locked before the link, in the order in which `createResetLink` locks them.
    const [operator] = await tx
      .select({
        id: operators.id,
        email: operators.email,
        name: operators.name,
        isAdministrator: operators.isAdministrator,
      })
      .from(accountLinks)
      .innerJoin(operators, eq(operators.id, accountLinks.operatorId))
      .where(isReset)
      .for("no key update", { of: operators });
    const used = await tx.delete(accountLinks).where(isReset).returning({ id: accountLinks.id });
    if (!operator || used.length === 0) throw new Failure("link_invalid");
    await setPassword(tx, operator.id, passwordHash);
    await forgetDevices(tx, operator.id);
    const detail = "password, by a link";
    await addNotice(tx, operator.id, { kind: "credential", detail, ip: origin.ip });
    const { id, email } = operator;
    await recordAudit(
      tx,
      { operatorId: id, email, ...origin },
      { pointSystemId: null, action: "operator.reset", subject: email },
    );
    return hasSecondFactor(await readFactors(tx, id)) ? null : operator;
  });
}

/** Sets a password, ends the operator's sessions and deletes the operator's reset links. */
export async function setPassword(
  executor: Executor,
  operatorId: string,
  passwordHash: string,
): Promise<void> {
  await executor.update(operators).set({ passwordHash }).where(eq(operators.id, operatorId));
  await endOperatorSessions(executor, operatorId);
  await deleteResetLinks(executor, operatorId);
}

/**
 * Deletes an operator's reset links. An operator has at most one and the table is short, so no
 * index is needed.
 */
async function deleteResetLinks(executor: Executor, operatorId: string): Promise<void> {
  await executor.delete(accountLinks).where(eq(accountLinks.operatorId, operatorId));
}
