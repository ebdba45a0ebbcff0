import { and, eq, isNull } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { apiKeys } from "../../db/schema/api-keys";
import { operators } from "../../db/schema/operators";
import { Failure, type FailureCode } from "../../domain/failure";
import type { AuthorizedKey } from "./authorization";
import { type Actor, getMember, type Member, type RequestOrigin } from "./members";

/**
 * Makes the actor of a key that manages: its operator, under the key's name.
 * @throws {Failure} `invalid_api_key` when it was revoked meanwhile
 */
export async function getKeyActor(key: AuthorizedKey, origin: RequestOrigin): Promise<Actor> {
  const [row] = await withDatabase((db) =>
    db
      .select({
        name: apiKeys.name,
        isSandbox: apiKeys.isSandbox,
        operatorId: operators.id,
        email: operators.email,
      })
      .from(apiKeys)
      .innerJoin(operators, eq(operators.id, apiKeys.operatorId))
      .where(and(eq(apiKeys.id, key.id), isNull(operators.disabledAt))),
  );
  if (!row) throw new Failure("invalid_api_key");
  const { name, isSandbox, ...operator } = row;
  return { ...operator, ...origin, apiKey: { id: key.id, name, isSandbox } };
}

/** The failures of an operator who does not own a point system. */
const OWNER_FAILURES: ReadonlySet<FailureCode> = new Set(["not_found", "role_missing"]);

/**
 * Makes the owner for whom a key acts in a point system of its scope.
 * @throws {Failure} `point_system_out_of_scope` when its operator does not own the point system
 */
export async function getKeyOwner(actor: Actor, pointSystemId: string): Promise<Member<"owner">> {
  try {
    return await getMember(actor, pointSystemId, "owner");
  } catch (error) {
    const isNone = error instanceof Failure && OWNER_FAILURES.has(error.code);
    throw isNone ? new Failure("point_system_out_of_scope") : error;
  }
}
