import { and, eq, sql } from "drizzle-orm";
import type { Executor } from "../../db/client";
import { apiKeyPointSystems, apiKeys } from "../../db/schema/api-keys";

/**
 * Removes a point system from the scope of an operator's API keys.
 * @returns the number of keys that lost it
 */
export async function withdrawApiKeys(
  executor: Executor,
  pointSystemId: string,
  operatorId: string,
): Promise<number> {
  const withdrawn = await executor
    .delete(apiKeyPointSystems)
    .where(
      and(
        eq(apiKeyPointSystems.pointSystemId, pointSystemId),
        sql`${apiKeyPointSystems.apiKeyId} in (
          select k.id from ${apiKeys} k where k.operator_id = ${operatorId}
        )`,
      ),
    )
    .returning({ apiKeyId: apiKeyPointSystems.apiKeyId });
  return withdrawn.length;
}
