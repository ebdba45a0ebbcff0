import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { inTransaction, type Transaction, withDatabase } from "../../db/client";
import { apiKeyPointSystems, apiKeys } from "../../db/schema/api-keys";
import { pointSystems } from "../../db/schema/point-systems";
import { getApiKeyHint, type Permission } from "../../domain/access/api-key";
import { Failure } from "../../domain/failure";
import { parseUuid } from "../../domain/uuid";
import { recordAudit } from "../access/audit-log";
import type { Actor, Member } from "../access/members";
import { requireRoomForKeys } from "./api-keys";

/** A key of another member, as far as the operator's own point systems are concerned. */
export interface ColleagueKey {
  readonly id: string;
  readonly name: string;
  readonly permission: Permission;
  /** The name of the operator who made it. */
  readonly madeBy: string;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  /** The names of the point systems in its scope that the operator is a member of. */
  readonly pointSystems: readonly string[];
  /** The names of those that the operator owns, and may take the key off. */
  readonly ownedSystems: readonly string[];
}

/** The most keys that are listed. */
const KEYS_MAX = 200;

/**
 * Lists the keys that other operators have made for the operator's point systems, newest first. Of
 * their scope it tells only the point systems that the operator is a member of.
 */
export async function listColleagueKeys(operatorId: string): Promise<ColleagueKey[]> {
  const rows = await withDatabase((db) =>
    db.execute<{
      id: string;
      name: string;
      permission: Permission;
      madeBy: string;
      lastUsedMs: number | null;
      expiresMs: number | null;
      pointSystems: string[];
      ownedSystems: string[];
    }>(sql`
      with mine as (
        select p.id, p.name, p.operator_id = ${operatorId} as is_owned from point_systems p
        where p.deleted_at is null and (p.operator_id = ${operatorId} or p.id in (
          select m.point_system_id from point_system_members m where m.operator_id = ${operatorId}
        ))
      )
      select k.id, k.name, k.permission, o.name as "madeBy",
        (extract(epoch from k.last_used_at) * 1000)::float8 as "lastUsedMs",
        (extract(epoch from k.expires_at) * 1000)::float8 as "expiresMs",
        json_agg(mine.name order by mine.name, mine.id) as "pointSystems",
        coalesce(json_agg(mine.name order by mine.name, mine.id) filter (where mine.is_owned), '[]')
          as "ownedSystems"
      from mine
      join api_key_point_systems s on s.point_system_id = mine.id
      join api_keys k on k.id = s.api_key_id and k.operator_id <> ${operatorId}
      join operators o on o.id = k.operator_id
      group by k.id, o.id
      order by k.created_at desc, k.id
      limit ${KEYS_MAX}`),
  );
  const toDate = (ms: number | null) => (ms === null ? null : new Date(ms));
  return rows.map(({ lastUsedMs, expiresMs, ...key }) => ({
    ...key,
    lastUsedAt: toDate(lastUsedMs),
    expiresAt: toDate(expiresMs),
  }));
}

/**
 * Takes another operator's key off the point systems that the actor owns. Every instance refuses it
 * there as soon as this returns; it goes on for the rest of its scope.
 * @param apiKeyId the id as the browser sent it
 * @returns the key's name
 * @throws {Failure} `not_found` when it reaches no point system of the actor's
 */
export function removeColleagueKey(actor: Actor, apiKeyId: string): Promise<{ name: string }> {
  return inTransaction(async (tx) => {
    const id = parseUuid(apiKeyId);
    const [key] = id
      ? await tx
          .select({ name: apiKeys.name, tokenHash: apiKeys.tokenHash })
          .from(apiKeys)
          .where(eq(apiKeys.id, id))
          .for("update")
      : [];
    if (!id || !key) throw new Failure("not_found");
    const owned = tx
      .select({ id: pointSystems.id })
      .from(pointSystems)
      .where(eq(pointSystems.operatorId, actor.operatorId));
    const removed = await tx
      .delete(apiKeyPointSystems)
      .where(
        and(eq(apiKeyPointSystems.apiKeyId, id), inArray(apiKeyPointSystems.pointSystemId, owned)),
      )
      .returning({ pointSystemId: apiKeyPointSystems.pointSystemId });
    if (removed.length === 0) throw new Failure("not_found");
    for (const { pointSystemId } of removed) {
      await recordAudit(tx, actor, {
        pointSystemId,
        action: "api_key.remove",
        subject: key.name,
        before: { hint: getApiKeyHint(key.tokenHash) },
      });
    }
    return { name: key.name };
  });
}

/**
 * Makes the owner the holder of a member's keys, within the caller's transaction: those whose whole
 * scope the owner owns. The keys go on unchanged.
 * @returns the number of keys
 * @throws {Failure} `too_many_api_keys`
 */
export async function takeOverApiKeys(
  tx: Transaction,
  { actor, pointSystemId }: Member<"owner">,
  operatorId: string,
): Promise<number> {
  const keys = await tx
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(
      and(
        eq(apiKeys.operatorId, operatorId),
        sql`exists (
          select from api_key_point_systems s
          where s.api_key_id = ${apiKeys.id} and s.point_system_id = ${pointSystemId})`,
        sql`not exists (
          select from api_key_point_systems s join point_systems p on p.id = s.point_system_id
          where s.api_key_id = ${apiKeys.id} and p.operator_id <> ${actor.operatorId})`,
      ),
    )
    .orderBy(asc(apiKeys.id))
    .for("update");
  if (keys.length === 0) return 0;
  await requireRoomForKeys(tx, actor.operatorId, keys.length);
  const ids = keys.map(({ id }) => id);
  await tx.update(apiKeys).set({ operatorId: actor.operatorId }).where(inArray(apiKeys.id, ids));
  return keys.length;
}
