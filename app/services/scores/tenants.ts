import { asc, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { apiKeyPointSystems, apiKeys } from "../../db/schema/api-keys";
import { pointSystems } from "../../db/schema/point-systems";

/** Finds the owner of a point system. */
export function findOwnerOfSystem(pointSystemId: string): Promise<string> {
  return findOwner(eq(pointSystems.id, pointSystemId));
}

/**
 * Finds the owner of the point systems that an API key reaches: those of one owner count together, by whichever
 * operator their keys were made. A key that reaches several owners' counts as its operator's when that is one of them.
 */
export function findOwnerOfKey(apiKeyId: string): Promise<string> {
  const reached = sql`(
    select ${apiKeyPointSystems.pointSystemId} from ${apiKeyPointSystems} where ${apiKeyPointSystems.apiKeyId} = ${apiKeyId}
  )`;
  const maker = sql`(select ${apiKeys.operatorId} from ${apiKeys} where ${apiKeys.id} = ${apiKeyId})`;
  return findOwner(inArray(pointSystems.id, reached), desc(eq(pointSystems.operatorId, maker)));
}

async function findOwner(where: SQL, ...first: readonly SQL[]): Promise<string> {
  const [row] = await withDatabase((db) =>
    db
      .select({ ownerId: pointSystems.operatorId })
      .from(pointSystems)
      .where(where)
      .orderBy(...first, asc(pointSystems.operatorId))
      .limit(1),
  );
  // A key that reaches none any more counts with the others of its kind.
  return row?.ownerId ?? "";
}
