import { and, eq, isNull } from "drizzle-orm";
import type { Executor } from "../../db/client";
import { pointSystems } from "../../db/schema/point-systems";
import { Failure } from "../../domain/failure";
import type { Member } from "./members";

/**
 * Serializes changes to a point system that a limit or a role depends on. Events are still credited meanwhile.
 * @throws {Failure} `not_found`
 */
export async function lockPointSystem(
  executor: Executor,
  pointSystemId: string,
): Promise<{ name: string; ownerId: string }> {
  const [row] = await executor
    .select({ name: pointSystems.name, ownerId: pointSystems.operatorId })
    .from(pointSystems)
    .where(and(eq(pointSystems.id, pointSystemId), isNull(pointSystems.deletedAt)))
    .for("no key update");
  if (!row) throw new Failure("not_found");
  return row;
}

/**
 * Locks as `lockPointSystem` does, and checks that the member is still the owner: ownership may
 * have been transferred since the request came.
 * @throws {Failure} `not_found`, `role_missing`
 */
export async function lockOwnPointSystem(
  executor: Executor,
  { actor, pointSystemId }: Member<"owner">,
): Promise<{ name: string }> {
  const row = await lockPointSystem(executor, pointSystemId);
  if (row.ownerId !== actor.operatorId) throw new Failure("role_missing");
  return row;
}
