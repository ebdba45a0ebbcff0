import { and, eq, isNull, sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { pointSystemMembers, pointSystems } from "../../db/schema/point-systems";
import { type AtLeast, includesRole, type Role } from "../../domain/access/role";
import { Failure } from "../../domain/failure";
import { requireUuid } from "../../domain/uuid";

/** The origin of a request whose sender is not known yet. */
export interface RequestOrigin {
  readonly ip: string;
  readonly requestId: string;
  /** The W3C trace that the request came with, for the webhooks of what it changes. */
  readonly traceId?: string | null;
}

/** The operator who acts, with the origin of the request, as the audit log records them. */
export interface Actor extends RequestOrigin {
  readonly operatorId: string;
  readonly email: string;
  /** The API key that acts for the operator, with the permission `manage`. */
  readonly apiKey?: { readonly id: string; readonly name: string; readonly isSandbox: boolean };
}

/** Names an actor in the audit log and in messages: by the key when one acts. */
export function nameActor({ apiKey, email }: Actor): string {
  return apiKey ? `API key ${apiKey.name}` : email;
}

/**
 * An actor within a point system. Services of the dashboard take a `Member`, and only `getMember`
 * creates one: a function that needs a role cannot be called before the role is checked.
 */
export interface Member<R extends Role = Role> {
  readonly actor: Actor;
  readonly pointSystemId: string;
  readonly role: R;
}

/** A member who may change what the point system has. */
export type Editor = Member<"owner" | "editor">;

/** Selects the role of an operator in the point system of the row, or null. */
export const roleOf = (operatorId: string) => sql<Role | null>`case
  when ${pointSystems.operatorId} = ${operatorId} then 'owner'
  else (
    select m.role from ${pointSystemMembers} m
    where m.point_system_id = ${pointSystems.id} and m.operator_id = ${operatorId}
  )
end`;

/**
 * Finds an operator's membership of a point system and checks the role.
 * @param pointSystemId the id as the browser sent it
 * @throws {Failure} `not_found` when the operator is not in the point system, `role_missing` when
 *   the operator's role there is not enough
 */
export async function getMember<Needed extends Role>(
  actor: Actor,
  pointSystemId: string,
  needed: Needed,
): Promise<Member<AtLeast<Needed>>> {
  const id = requireUuid(pointSystemId);
  const [row] = await withDatabase((db) =>
    db
      .select({ role: roleOf(actor.operatorId) })
      .from(pointSystems)
      .where(and(eq(pointSystems.id, id), isNull(pointSystems.deletedAt))),
  );
  if (!row?.role) throw new Failure("not_found");
  const { role } = row;
  if (!includesRole(role, needed)) throw new Failure("role_missing");
  return { actor, pointSystemId: id, role };
}

/** Narrows a member to the role that is needed; null when the member's role is not enough. */
export function findRole<Needed extends Role>(
  { actor, pointSystemId, role }: Member,
  needed: Needed,
): Member<AtLeast<Needed>> | null {
  return includesRole(role, needed) ? { actor, pointSystemId, role } : null;
}
