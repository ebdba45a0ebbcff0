import { and, asc, eq, inArray, isNull, sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import type { Executor, Transaction } from "../../db/client";
import { apiKeyPointSystems, apiKeys } from "../../db/schema/api-keys";
import { pointSystemMembers, pointSystems } from "../../db/schema/point-systems";
import { PERMISSIONS, type Permission } from "../../domain/access/api-key";
import { Failure } from "../../domain/failure";
import type { Actor } from "../access/members";

/**
 * Checks that the operator may use the point systems. It locks the rows that allow it, so that no
 * role or point system is lost before the commit.
 * @returns whether they are sandboxes
 * @throws {Failure} `not_found`, `role_missing`, `manage_key_needs_owner`, `sandbox_mixed`, and those of
 *   `requireOwnScope`
 */
export async function requireScope(
  tx: Transaction,
  { operatorId, apiKey }: Actor,
  pointSystemIds: readonly string[],
  permission: Permission,
): Promise<{ isSandbox: boolean }> {
  if (apiKey) await requireOwnScope(tx, apiKey.id, pointSystemIds, permission);
  const systems = await tx
    .select({
      id: pointSystems.id,
      ownerId: pointSystems.operatorId,
      isSandbox: pointSystems.isSandbox,
    })
    .from(pointSystems)
    .where(and(inArray(pointSystems.id, [...pointSystemIds]), isNull(pointSystems.deletedAt)))
    .orderBy(asc(pointSystems.id))
    .for("share");
  const memberships = await tx
    .select({ id: pointSystemMembers.pointSystemId, role: pointSystemMembers.role })
    .from(pointSystemMembers)
    .where(
      and(
        eq(pointSystemMembers.operatorId, operatorId),
        inArray(pointSystemMembers.pointSystemId, [...pointSystemIds]),
      ),
    )
    .for("share");
  const owners = new Map(systems.map(({ id, ownerId }) => [id, ownerId]));
  const roles = new Map(memberships.map(({ id, role }) => [id, role]));
  for (const id of pointSystemIds) {
    const ownerId = owners.get(id);
    if (ownerId === operatorId) continue;
    if (permission === "manage") {
      throw new Failure("manage_key_needs_owner", { field: "pointSystems" });
    }
    const role = ownerId === undefined ? undefined : roles.get(id);
    if (role === undefined) throw new Failure("not_found");
    if (role !== "editor") throw new Failure("role_missing");
  }
  const sandboxes = systems.filter(({ isSandbox }) => isSandbox).length;
  if (sandboxes > 0 && sandboxes < systems.length) {
    throw new Failure("sandbox_mixed", { field: "pointSystems" });
  }
  return { isSandbox: sandboxes > 0 };
}

/**
 * Checks that a key that acts makes or revokes none beyond its own scope, and none that manages. It
 * locks its scope until the commit.
 * @throws {Failure} `manage_key_refused`, `point_system_out_of_scope`
 */
export async function requireOwnScope(
  tx: Transaction,
  apiKeyId: string,
  pointSystemIds: readonly string[],
  permission: Permission,
): Promise<void> {
  if (permission === "manage") throw new Failure("manage_key_refused");
  const own = await tx
    .select({ id: apiKeyPointSystems.pointSystemId })
    .from(apiKeyPointSystems)
    .where(eq(apiKeyPointSystems.apiKeyId, apiKeyId))
    .for("share");
  const reached = new Set(own.map(({ id }) => id));
  if (pointSystemIds.length === 0 || !pointSystemIds.every((id) => reached.has(id))) {
    throw new Failure("point_system_out_of_scope");
  }
}

/**
 * Removes a point system from the scope of an operator's API keys.
 * @param permissions the keys that lose it; all when left out
 * @returns the number of keys that lost it
 */
export async function withdrawApiKeys(
  executor: Executor,
  pointSystemId: string,
  operatorId: string,
  permissions: readonly Permission[] = PERMISSIONS,
): Promise<number> {
  const withdrawn = await executor
    .delete(apiKeyPointSystems)
    .where(
      and(
        eq(apiKeyPointSystems.pointSystemId, pointSystemId),
        sql`${apiKeyPointSystems.apiKeyId} in (
          select k.id from ${apiKeys} k where k.operator_id = ${operatorId}
            and k.permission = any(${toArrayLiteral(permissions)}::text[])
        )`,
      ),
    )
    .returning({ apiKeyId: apiKeyPointSystems.apiKeyId });
  return withdrawn.length;
}
