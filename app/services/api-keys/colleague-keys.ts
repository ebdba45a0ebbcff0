import { sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import type { Permission } from "../../domain/access/api-key";

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
    }>(sql`
      with mine as (
        select p.id, p.name from point_systems p
        where p.deleted_at is null and (p.operator_id = ${operatorId} or p.id in (
          select m.point_system_id from point_system_members m where m.operator_id = ${operatorId}
        ))
      )
      select k.id, k.name, k.permission, o.name as "madeBy",
        (extract(epoch from k.last_used_at) * 1000)::float8 as "lastUsedMs",
        (extract(epoch from k.expires_at) * 1000)::float8 as "expiresMs",
        json_agg(mine.name order by mine.name, mine.id) as "pointSystems"
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
