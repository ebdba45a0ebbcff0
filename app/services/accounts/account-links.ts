import { and, count, desc, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import { type Executor, inTransaction, withDatabase } from "../../db/client";
import { accountLinks, operators } from "../../db/schema/operators";
import { pointSystems } from "../../db/schema/point-systems";
import {
  type AccountLinkKind,
  generateLinkToken,
  hashLinkToken,
} from "../../domain/access/account-link";
import type { MemberRole, Role } from "../../domain/access/role";
import { Failure } from "../../domain/failure";
import { requireUuid } from "../../domain/uuid";
import { type Administrator, lockAdministrators } from "../access/administrators";
import { recordAudit } from "../access/audit-log";
import { type Member, roleOf } from "../access/members";
import { lockOwnPointSystem } from "../access/point-system-lock";

/** An invitation that has not been used yet. */
export interface OpenInvitation {
  readonly id: string;
  /** The role it gives; null for an invitation to the installation alone. */
  readonly role: MemberRole | null;
  /** The e-mail address of the operator who made it. */
  readonly madeBy: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** An invitation as the person who opens it sees it. */
export interface Invitation {
  /** Null for an invitation to the installation alone. */
  readonly pointSystem: { readonly id: string; readonly name: string } | null;
  readonly role: MemberRole | null;
  /** The role that the person who opened it already has in that point system. */
  readonly standing: Role | null;
}

const LIFE_HOURS = { invitation: 7 * 24, password_reset: 24 } as const satisfies Record<
  AccountLinkKind,
  number
>;
/**
 * The most invitations open at once, in each point system and for the installation: a list of them
 * stays one page.
 */
export const OPEN_INVITATIONS_MAX = 50;

/**
 * Makes an invitation link: to a point system by its owner, to the installation by an administrator.
 * @returns the link's token, which is stored nowhere
 * @throws {Failure} `too_many_links`
 */
export async function createInvitation(
  ...[scope, role]: [scope: Member<"owner">, role: MemberRole] | [scope: Administrator, role: null]
): Promise<string> {
  const { actor, pointSystemId } = scope;
  return inTransaction(async (tx) => {
    await lockInvitations(tx, scope);
    await deleteExpiredLinks(tx);
    const [open] = await tx
      .select({ links: count() })
      .from(accountLinks)
      .where(isInvitationOf(pointSystemId));
    if (open && open.links >= OPEN_INVITATIONS_MAX) throw new Failure("too_many_links");
    const { token, id } = await insertLink(tx, {
      kind: "invitation",
      pointSystemId,
      role,
      createdBy: actor.operatorId,
    });
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "member.invite",
      subject: role ?? "operator",
      after: { invitation: id, role },
    });
    return token;
  });
}

/** Lists the open invitations, newest first. */
export async function listInvitations({
  pointSystemId,
}: Member<"owner"> | Administrator): Promise<OpenInvitation[]> {
  return withDatabase((db) =>
    db
      .select({
        id: accountLinks.id,
        role: accountLinks.role,
        madeBy: operators.email,
        createdAt: accountLinks.createdAt,
        expiresAt: accountLinks.expiresAt,
      })
      .from(accountLinks)
      .leftJoin(operators, eq(operators.id, accountLinks.createdBy))
      .where(and(isInvitationOf(pointSystemId), gt(accountLinks.expiresAt, sql`now()`)))
      .orderBy(desc(accountLinks.createdAt), desc(accountLinks.id))
      .limit(OPEN_INVITATIONS_MAX),
  );
}

/**
 * Revokes an invitation.
 * @throws {Failure} `not_found` when it is not open or is outside the scope
 */
export async function revokeInvitation(
  scope: Member<"owner"> | Administrator,
  invitationId: string,
): Promise<void> {
  const { actor, pointSystemId } = scope;
  const id = requireUuid(invitationId);
  await inTransaction(async (tx) => {
    await lockInvitations(tx, scope);
    const [revoked] = await tx
      .delete(accountLinks)
      .where(and(eq(accountLinks.id, id), isInvitationOf(pointSystemId)))
      .returning({ role: accountLinks.role });
    if (!revoked) throw new Failure("not_found");
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "invitation.revoke",
      subject: revoked.role ?? "operator",
      before: { invitation: id, role: revoked.role },
    });
  });
}

/**
 * Finds the invitation that a token opens.
 * @param operatorId the operator who opened it; null when no operator is signed in
 */
export async function findInvitation(
  token: string,
  operatorId: string | null,
): Promise<Invitation | null> {
  const [row] = await withDatabase((db) =>
    db
      .select({
        pointSystemId: accountLinks.pointSystemId,
        role: accountLinks.role,
        name: pointSystems.name,
        standing: operatorId === null ? sql<null>`null` : roleOf(operatorId),
      })
      .from(accountLinks)
      .leftJoin(
        pointSystems,
        and(eq(pointSystems.id, accountLinks.pointSystemId), isNull(pointSystems.deletedAt)),
      )
      .where(isOpenLink("invitation", token)),
  );
  if (!row) return null;
  const { pointSystemId, role, name, standing } = row;
  if (pointSystemId === null) return { pointSystem: null, role, standing: null };
  return name === null ? null : { pointSystem: { id: pointSystemId, name }, role, standing };
}

/** Stores a link under its token's hash. */
export async function insertLink(
  executor: Executor,
  values: Omit<typeof accountLinks.$inferInsert, "id" | "tokenHash" | "expiresAt">,
): Promise<{ token: string; id: string }> {
  const token = generateLinkToken();
  const hours = LIFE_HOURS[values.kind];
  const [link] = await executor
    .insert(accountLinks)
    .values({
      ...values,
      tokenHash: hashLinkToken(token),
      expiresAt: sql`now() + make_interval(hours => ${hours})`,
    })
    .returning({ id: accountLinks.id });
  if (!link) throw new Error("The link was not stored");
  return { token, id: link.id };
}

/** Matches the link of a kind that a token opens now. */
export function isOpenLink(kind: AccountLinkKind, token: string): SQL | undefined {
  return and(
    eq(accountLinks.tokenHash, hashLinkToken(token)),
    eq(accountLinks.kind, kind),
    gt(accountLinks.expiresAt, sql`now()`),
  );
}

/**
 * Deletes the expired links. It skips locked rows, so that two clean-ups cannot block each other.
 */
export async function deleteExpiredLinks(executor: Executor): Promise<void> {
  await executor.execute(sql`
    delete from account_links where id in (
      select id from account_links where expires_at <= now() for update skip locked
    )`);
}

function isInvitationOf(pointSystemId: string | null): SQL | undefined {
  return and(
    eq(accountLinks.kind, "invitation"),
    pointSystemId === null
      ? isNull(accountLinks.pointSystemId)
      : eq(accountLinks.pointSystemId, pointSystemId),
  );
}

/** Serializes changes to one list of invitations, and checks that the actor may still make them. */
async function lockInvitations(
  executor: Executor,
  scope: Member<"owner"> | Administrator,
): Promise<void> {
  if (scope.pointSystemId === null) await lockAdministrators(executor, scope);
  else await lockOwnPointSystem(executor, scope);
}
