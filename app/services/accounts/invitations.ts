import { hashPassword } from "../../auth/passwords";
import type { Operator } from "../../auth/sessions";
import { type Executor, withDatabase } from "../../db/client";
import { accountLinks } from "../../db/schema/operators";
import { Failure } from "../../domain/failure";
import type { Actor, RequestOrigin } from "../access/members";
import { lockPointSystem } from "../access/point-system-lock";
import { findInvitation, isOpenLink } from "./account-links";
import { insertMember } from "./memberships";
import { insertOperator, type NewOperator } from "./sign-up";

/**
 * Makes an account by an invitation, and lets it into the point system that the link is for. Of any
 * number of calls at once with one link, one does.
 * @throws {Failure} `link_invalid`, `email_unusable`, `members_limit_reached`; the link still works
 *   after the latter two
 */
export async function acceptAsNewOperator(
  token: string,
  { password, ...account }: NewOperator,
  origin: RequestOrigin,
): Promise<Operator> {
  // Not worth a hash, which is work, to whoever has no link.
  if (!(await findInvitation(token, null))) throw new Failure("link_invalid");
  const passwordHash = await hashPassword(password);
  return withDatabase((db) =>
    db.transaction(async (tx) => {
      const join = await takeInvitation(tx, token);
      const values = { ...account, passwordHash, isAdministrator: false };
      const operator = await insertOperator(tx, values, origin);
      await join({ operatorId: operator.id, email: operator.email, ...origin });
      return operator;
    }),
  );
}

/**
 * Lets an operator into the point system that a link is for.
 * @throws {Failure} `link_invalid`, also for a link that only makes accounts; `member_already`,
 *   `members_limit_reached`, after which the link still works
 */
export async function acceptInvitation(
  token: string,
  actor: Actor,
): Promise<{ pointSystemId: string; name: string }> {
  return withDatabase((db) =>
    db.transaction(async (tx) => {
      const join = await takeInvitation(tx, token);
      const joined = await join(actor);
      if (!joined) throw new Failure("link_invalid");
      return joined;
    }),
  );
}

/**
 * Uses an invitation up, within the transaction of what it is used for.
 * @returns lets an operator into the link's point system; null when it is for none
 */
async function takeInvitation(executor: Executor, token: string) {
  const isInvitation = isOpenLink("invitation", token);
  const [found] = await executor
    .select({ pointSystemId: accountLinks.pointSystemId })
    .from(accountLinks)
    .where(isInvitation);
  if (!found) throw new Failure("link_invalid");
  // The point system before the link, as its deletion takes them.
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
