import { type SQL, sql } from "drizzle-orm";
import { type PointsSource, selectCountedPoints } from "../rewards/counted-points";

/** Writes a query's expression `tiers`: the tiers with a threshold, each at its place. The lowest one has place 1. */
export function withTiers(pointSystemId: string, rewardId: string): SQL {
  return sql`
    tiers as materialized (
      select label, position, min_points, row_number() over (order by min_points) as place
      from gift_card_tiers
      where point_system_id = ${pointSystemId} and reward_id = ${rewardId}
        and min_points is not null
    )`;
}

/**
 * Selects `address`, `points` and the `place` of the tier of each wallet that reaches one by the points that a reward
 * counts, in a query with `tiers`. Wallets are read once for all tiers.
 */
export function selectWalletsOfTiers(source: PointsSource): SQL {
  return sql`(
    select k.address, k.points,
      width_bucket(k.points, (select array_agg(min_points order by min_points) from tiers)) as place
    from ${selectCountedPoints(source)} k
    where not k.is_blacklisted and k.points >= (select min(min_points) from tiers)
  )`;
}
