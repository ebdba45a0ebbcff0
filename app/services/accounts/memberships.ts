import { and, asc, count, desc, eq, sql } from "drizzle-orm";
import { type Executor, inTransaction, withDatabase } from "../../db/client";
import { auditLog } from "../../db/schema/audit-log";
import { accountLinks, operators } from "../../db/schema/operators";
import { pointSystemMembers, pointSystems } from "../../db/schema/point-systems";
import type { MemberRole, Role } from "../../domain/access/role";
import { Failure } from "../../domain/failure";
import { requireUuid } from "../../domain/uuid";
import { recordAudit } from "../access/audit-log";
import { seesAddresses } from "../access/colleagues";
import type { Actor, Member } from "../access/members";
import { lockOwnPointSystem, lockPointSystem } from "../access/point-system-lock";
import { takeOverApiKeys } from "../api-keys/colleague-keys";
import { withdrawApiKeys } from "../api-keys/scope";

/** A member of a point system, the owner included. */
export interface MemberEntry {
  readonly operatorId: string;
  readonly name: string;
  /** Null for a reader who may not see it. */
  readonly email: string | null;
  readonly role: Role;
  /** The time at which they joined it or became its owner. */
  readonly since: Date;
}

/** The most members of one point system beside its owner: a list of them stays one page. */
export const MEMBERS_MAX = 100;

/**
 * Lists the members of a point system: the owner, then the others in the order in which they
 * joined.
 */
export async function listMembers(reader: Member): Promise<MemberEntry[]> {
  const { pointSystemId } = reader;
  const email = seesAddresses(reader) ? operators.email : sql<null>`null`;
  return withDatabase(async (db) => {
    const lastTransfer = db
      .select({ createdAt: auditLog.createdAt })
      .from(auditLog)
      // As a constant: the index has the entries of this action and another one alone.
      .where(
        and(eq(auditLog.pointSystemId, pointSystemId), eq(auditLog.action, sql`'member.transfer'`)),
      )
      .orderBy(desc(auditLog.id))
      .limit(1);
    const [owner] = await db
      .select({
        operatorId: operators.id,
        name: operators.name,
        email,
        since: sql`coalesce((${lastTransfer}), ${pointSystems.createdAt})`.mapWith(
          pointSystems.createdAt,
        ),
      })
      .from(pointSystems)
      .innerJoin(operators, eq(operators.id, pointSystems.operatorId))
      .where(eq(pointSystems.id, pointSystemId));
    const others = await db
      .select({
        operatorId: operators.id,
        name: operators.name,
        email,
        role: pointSystemMembers.role,
        since: pointSystemMembers.createdAt,
      })
      .from(pointSystemMembers)
      .innerJoin(operators, eq(operators.id, pointSystemMembers.operatorId))
      .where(eq(pointSystemMembers.pointSystemId, pointSystemId))
      .orderBy(asc(pointSystemMembers.createdAt), asc(operators.email))
      .limit(MEMBERS_MAX);
    return owner ? [{ ...owner, role: "owner" }, ...others] : others;
  });
}

/**
 * Changes the role of a member. When a member becomes a viewer, the point system is removed from
 * the scope of their API keys.
 * @throws {Failure} `not_found` when there is no such member
 */
export async function changeMemberRole(
  member: Member<"owner">,
  operatorId: string,
  role: MemberRole,
): Promise<{ name: string }> {
  const { actor, pointSystemId } = member;
  return inTransaction(async (tx) => {
    await lockOwnPointSystem(tx, member);
    const before = await getOtherMember(tx, pointSystemId, operatorId);
    if (before.role === role) return before;
    await tx
      .update(pointSystemMembers)
      .set({ role })
      .where(isMembership(pointSystemId, before.operatorId));
    const apiKeysWithdrawn =
      role === "viewer" ? await withdrawApiKeys(tx, pointSystemId, before.operatorId) : 0;
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "member.update",
      subject: before.email,
      before: { role: before.role },
      after: { role, ...(apiKeysWithdrawn > 0 && { apiKeysWithdrawn }) },
    });
    return before;
  });
}

/**
 * Removes a member from the point system, and the point system from the scope of their API keys.
 * @param takesOverKeys whether keys that reach only point systems of the owner become the owner's
 *   and go on
 * @returns the member's name and the number of keys that are the owner's now
 * @throws {Failure} `not_found` when there is no such member, `too_many_api_keys`
 */
export async function removeMember(
  member: Member<"owner">,
  operatorId: string,
  takesOverKeys = false,
): Promise<{ name: string; apiKeysTakenOver: number }> {
  const { actor, pointSystemId } = member;
  return inTransaction(async (tx) => {
    await lockOwnPointSystem(tx, member);
    const removed = await getOtherMember(tx, pointSystemId, operatorId);
    const apiKeysTakenOver = takesOverKeys
      ? await takeOverApiKeys(tx, member, removed.operatorId)
      : 0;
    await deleteMember(tx, actor, {
      pointSystemId,
      ...removed,
      action: "member.remove",
      apiKeysTakenOver,
    });
    return { name: removed.name, apiKeysTakenOver };
  });
}

/**
 * Removes the acting member from the point system, and the point system from the scope of their API
 * keys.
 * @throws {Failure} `owner_stays` when the actor is the owner
 */
export async function leavePointSystem({ actor, pointSystemId }: Member): Promise<void> {
  await inTransaction(async (tx) => {
    const { ownerId } = await lockPointSystem(tx, pointSystemId);
    if (ownerId === actor.operatorId) throw new Failure("owner_stays");
    const left = await getOtherMember(tx, pointSystemId, actor.operatorId);
    await deleteMember(tx, actor, { pointSystemId, ...left, action: "member.leave" });
  });
}

/**
 * Makes a member the owner. The previous owner stays as an editor, and their invitations end.
 * @param confirmation the point system's name, as the owner typed it
 * @throws {Failure} `confirmation_wrong`, `not_found` when there is no such member, `account_disabled`
 */
export async function transferOwnership(
  member: Member<"owner">,
  operatorId: string,
  confirmation: string,
): Promise<{ name: string }> {
  const { actor, pointSystemId } = member;
  return inTransaction(async (tx) => {
    const { name } = await lockOwnPointSystem(tx, member);
    if (confirmation.trim() !== name.trim()) {
      throw new Failure("confirmation_wrong", { field: "confirmation" });
    }
    const heir = await getOtherMember(tx, pointSystemId, operatorId);
    if (heir.disabledAt) throw new Failure("account_disabled");
    await tx
      .update(pointSystems)
      .set({ operatorId: heir.operatorId })
      .where(eq(pointSystems.id, pointSystemId));
    await tx.delete(pointSystemMembers).where(isMembership(pointSystemId, heir.operatorId));
    await tx
      .insert(pointSystemMembers)
      .values({ pointSystemId, operatorId: actor.operatorId, role: "editor" });
    // They were made with an owner's rights.
    const manageKeysWithdrawn = await withdrawApiKeys(tx, pointSystemId, actor.operatorId, [
      "manage",
    ]);
    await tx.delete(accountLinks).where(eq(accountLinks.pointSystemId, pointSystemId));
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "member.transfer",
      subject: heir.email,
      before: { owner: actor.email },
      after: { owner: heir.email, manageKeysWithdrawn },
    });
    return heir;
  });
}

/**
 * Adds an operator to a point system that the caller has locked.
 * @param invitation the id of the link that lets them in
 * @throws {Failure} `member_already`, `members_limit_reached`
 */
export async function insertMember(
  executor: Executor,
  actor: Actor,
  values: { pointSystemId: string; ownerId: string; role: MemberRole; invitation: string },
): Promise<void> {
  const { pointSystemId, ownerId, role, invitation } = values;
  const { operatorId, email } = actor;
  const [members] = await executor
    .select({ all: count() })
    .from(pointSystemMembers)
    .where(eq(pointSystemMembers.pointSystemId, pointSystemId));
  if (members && members.all >= MEMBERS_MAX) throw new Failure("members_limit_reached");
  const inserted =
    ownerId === operatorId
      ? []
      : await executor
          .insert(pointSystemMembers)
          .values({ pointSystemId, operatorId, role })
          .onConflictDoNothing()
          .returning({ role: pointSystemMembers.role });
  if (inserted.length === 0) throw new Failure("member_already");
  await recordAudit(executor, actor, {
    pointSystemId,
    action: "member.join",
    subject: email,
    after: { role, invitation },
  });
}

/** Finds a member of the point system who does not own it. */
async function getOtherMember(executor: Executor, pointSystemId: string, operatorId: string) {
  const id = requireUuid(operatorId);
  const [row] = await executor
    .select({
      operatorId: operators.id,
      name: operators.name,
      email: operators.email,
      role: pointSystemMembers.role,
      disabledAt: operators.disabledAt,
    })
    .from(pointSystemMembers)
    .innerJoin(operators, eq(operators.id, pointSystemMembers.operatorId))
    .where(isMembership(pointSystemId, id));
  if (!row) throw new Failure("not_found");
  return row;
}

async function deleteMember(
  executor: Executor,
  actor: Actor,
  gone: {
    pointSystemId: string;
    operatorId: string;
    email: string;
    role: MemberRole;
    action: "member.remove" | "member.leave";
    apiKeysTakenOver?: number;
  },
): Promise<void> {
  const { pointSystemId, operatorId, email, role, action, apiKeysTakenOver = 0 } = gone;
  await executor.delete(pointSystemMembers).where(isMembership(pointSystemId, operatorId));
  const apiKeysWithdrawn = await withdrawApiKeys(executor, pointSystemId, operatorId);
  const keys = {
    ...(apiKeysWithdrawn > 0 && { apiKeysWithdrawn }),
    ...(apiKeysTakenOver > 0 && { apiKeysTakenOver }),
  };
  await recordAudit(executor, actor, {
    pointSystemId,
    action,
    subject: email,
    before: { role },
    ...(Object.keys(keys).length > 0 && { after: keys }),
  });
}

function isMembership(pointSystemId: string, operatorId: string) {
  return and(
    eq(pointSystemMembers.pointSystemId, pointSystemId),
    eq(pointSystemMembers.operatorId, operatorId),
  );
}
