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

/** Refuses to undo an import whose points wallets have spent, as `refuseSpentPoints` does. */
export function refuseSpentImport(
  executor: Executor,
  pointSystemId: string,
  importId: string,
): Promise<void> {
  const taken = sql`select * from list_imported_points(${pointSystemId}::uuid, ${importId}::uuid)`;
  return refuseSpentPoints(executor, pointSystemId, taken);
}
