import { type SQL, sql } from "drizzle-orm";
import type { Executor } from "../../db/client";
import { Failure } from "../../domain/failure";

/**
 * Refuses to take points back that wallets have spent: a wallet never has spent more than it earned. Under the ledger
 * lock, this is exact.
 * @param taken a query of `address` and `points`, a row for each wallet that loses points
 * @throws {Failure} `points_are_spent`, with the points that must be given back first
 */
export async function refuseSpentPoints(
  executor: Executor,
  pointSystemId: string,
  taken: SQL,
): Promise<void> {
  const [short] = await executor.execute<{ points: number | null; wallets: number }>(sql`
    select sum(missing)::float8 as points, count(*)::int as wallets from (
      select t.points - (w.points - s.spent) as missing
      from (${taken}) t
      cross join lateral (
        select spent from wallet_spending
        where point_system_id = ${pointSystemId}::uuid and address = t.address limit 1
      ) s
      cross join lateral (
        select points from wallets
        where point_system_id = ${pointSystemId}::uuid and address = t.address limit 1
      ) w
    ) m
    where missing > 0`);
  if (!short?.points) return;
  const { points, wallets } = short;
  const amount = `${points.toLocaleString("en")} ${points === 1 ? "point" : "points"}`;
  throw new Failure("points_are_spent", {
    name: wallets === 1 ? amount : `${amount} to ${wallets.toLocaleString("en")} wallets`,
  });
}

/**
 * Selects the points of each wallet that the undoing of an import takes back. Those of a wallet that was linked since are
 * taken from the wallet that has them now.
 */
export function selectImportedPoints(pointSystemId: string, importId: string): SQL {
  return sql`
    select h.address, sum(e.points) as points from point_events e
    cross join lateral (
      select case when exists (
        select 1 from point_events m
        where m.point_system_id = ${pointSystemId}::uuid and m.address = e.address and m.moved_events < 0
      ) then find_event_holder(${pointSystemId}::uuid, e.address, e.seq, 9223372036854775807) else e.address end as address
      offset 0
    ) h
    where e.point_system_id = ${pointSystemId}::uuid and e.import_id = ${importId}::uuid and e.voids is null
      and exists (
        select 1 from wallet_spending s
        where s.point_system_id = ${pointSystemId}::uuid and s.address = h.address and s.spent > 0
      )
      and not exists (
        select 1 from point_events c where c.point_system_id = ${pointSystemId}::uuid and c.voids = e.id
      )
    group by h.address`;
}
