import { and, eq, isNull } from "drizzle-orm";
import type { Executor } from "../../db/client";
import { pointSystems } from "../../db/schema/point-systems";
import { Failure } from "../../domain/failure";
import type { Member } from "./members";

/**
 * Lets changes to who is in a point system take turns. Events are credited meanwhile.
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
 * As `lockPointSystem`, for its owner, who may have handed it over since the request came.
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
