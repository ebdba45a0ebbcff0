import type { Operator } from "../../auth/sessions";
import { type Executor, inTransaction } from "../../db/client";
import { accountLinks } from "../../db/schema/operators";
import { Failure } from "../../domain/failure";
import type { Actor, RequestOrigin } from "../access/members";
import { lockPointSystem } from "../access/point-system-lock";
import { findInvitation, isOpenLink } from "./account-links";
import { insertMember } from "./memberships";
import { hashNewPassword } from "./passwords";
import { insertOperator, type NewOperator } from "./sign-up";

/**
 * Creates an account from an invitation and adds it to the link's point system, if it has one. When
 * several calls use one link at once, exactly one succeeds.
 * @throws {Failure} `link_invalid`, `email_unusable`, `members_limit_reached`; the link still works
 *   after the latter two
 */
export async function acceptAsNewOperator(
  token: string,
  { password, ...account }: NewOperator,
  origin: RequestOrigin,
): Promise<Operator> {
  // A hash is costly, so it is only made for a caller with a valid link.
  if (!(await findInvitation(token, null))) throw new Failure("link_invalid");
  const passwordHash = await hashNewPassword(password, account);
  return inTransaction(async (tx) => {
    const join = await takeInvitation(tx, token);
    const values = { ...account, passwordHash, isAdministrator: false };
    const operator = await insertOperator(tx, values, origin);
    await join({ operatorId: operator.id, email: operator.email, ...origin });
    return operator;
  });
}

/**
 * Adds an operator to the point system of a link.
 * @throws {Failure} `link_invalid`, also for a link that only makes accounts; `member_already`,
 *   `members_limit_reached`, after which the link still works
 */
export async function acceptInvitation(
  token: string,
  actor: Actor,
): Promise<{ pointSystemId: string; name: string }> {
  return inTransaction(async (tx) => {
    const join = await takeInvitation(tx, token);
    const joined = await join(actor);
    if (!joined) throw new Failure("link_invalid");
    return joined;
  });
}

/**
 * Consumes an invitation within the caller's transaction.
 * @returns a function that adds an operator to the link's point system; it returns null when the
 *   link has no point system
 */
async function takeInvitation(executor: Executor, token: string) {
  const isInvitation = isOpenLink("invitation", token);
  const [found] = await executor
    .select({ pointSystemId: accountLinks.pointSystemId })
    .from(accountLinks)
    .where(isInvitation);
  if (!found) throw new Failure("link_invalid");
  // The point system is locked before the link, in the order in which a deletion locks them.
  const system =
    found.pointSystemId === null
      ? null
      : await lockPointSystem(executor, found.pointSystemId).catch(refuseGonePointSystem);
  const [used] = await executor
    .delete(accountLinks)
    .where(isInvitation)
    .returning({ id: accountLinks.id, role: accountLinks.role });
  if (!used) throw new Failure("link_invalid");
  return async (actor: Actor) => {
    const { pointSystemId } = found;
    if (pointSystemId === null || system === null || used.role === null) return null;
    const { ownerId, name } = system;
    const { role, id: invitation } = used;
    await insertMember(executor, actor, { pointSystemId, ownerId, role, invitation });
    return { pointSystemId, name };
  };
}

function refuseGonePointSystem(error: unknown): never {
  throw error instanceof Failure && error.code === "not_found"
    ? new Failure("link_invalid")
    : error;
}
