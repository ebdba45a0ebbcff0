import { type SQL, sql } from "drizzle-orm";

// What rewards have given follows moves of points: from the wallet that got it to the one that holds its points now
// (docs/decisions/086). Moves are few: each query begins with them and looks up what their wallets got, a move at a time
// (`limit`, `offset`). Where there are none, it costs nothing more.

type Id = string | SQL;

/** A reward, and the window of a board whose points it counts; null for all points. */
interface GivingReward {
  readonly pointSystemId: string;
  readonly rewardId: string | null;
  readonly windowId: string | null;
}

/** The tables of what rewards give to wallets. */
type GivenTable = "distributions" | "gift_cards";

/**
 * Selects the points of each wallet that the family's other campaigns counted, at the wallet that holds them now. What
 * a failed split left does not count. A cancelled campaign was on no chain: of it, only what was claimed nevertheless
 * counts. A board's campaign counted its points as they stood at the end of its window: moves since then count.
 * @param wallet the only wallet that the caller reads; all of them when left out
 */
export function selectGivenPoints(
  pointSystemId: Id,
  rewardId: Id,
  familyId: Id,
  wallet: SQL = sql`null`,
): SQL {
  const system = sql`${pointSystemId}::uuid`;
  const others = sql`rewards r
    join allocations a on a.point_system_id = r.point_system_id and a.reward_id = r.id
      and a.status in ('building', 'checking', 'built')`;
  const isCounted = sql`r.point_system_id = ${system}
    and (r.id = ${familyId}::uuid or r.family_id = ${familyId}::uuid) and r.id <> ${rewardId}::uuid
    and (r.status <> 'cancelled' or d.claimed_at is not null)`;
  return sql`(
    select g.address, sum(g.points)::bigint as points
    from (
      select d.address, d.points
      from ${others}
      join distributions d on d.point_system_id = r.point_system_id and d.reward_id = r.id and d.round = a.round
      where ${isCounted}
      union all
      select v.address, v.points
      from list_moved_holders(${system}, ${wallet}::bytea) m
      cross join ${others}
      cross join lateral (
        select s.points, s.claimed_at, s.distributed_at from distributions s
        where s.point_system_id = r.point_system_id and s.reward_id = r.id and s.address = m.address
          and s.round = a.round
        limit 1
      ) d
      cross join lateral (values (m.address, -d.points), (m.holder, d.points)) v(address, points)
      where ${isCounted} and ${isMoved(sql`case
        when r.points_window_id is null then d.distributed_at
        else coalesce(find_window_end(r.point_system_id, r.points_window_id), d.distributed_at)
      end`)}
    ) g
    group by g.address
  )`;
}

/**
 * Selects the `address` of each wallet that a reward has served although no row of it names the wallet: the wallet holds
 * the points of a `former` one that has a row. A window's points never move after its end, so neither does what its
 * reward gave.
 * @param only what to look for, when it is less than all: shares of rounds before one, or one wallet
 */
export function selectServedByMoves(
  { pointSystemId, rewardId, windowId }: GivingReward,
  table: GivenTable,
  only: { readonly before?: number; readonly wallet?: SQL } = {},
): SQL {
  if (windowId !== null) {
    return sql`(select null::bytea as address, null::bytea as former where false)`;
  }
  const { before, wallet = sql`null` } = only;
  const isBefore = before === undefined ? sql`` : sql`and g.round < ${before}`;
  return sql`(
    select m.holder as address, m.address as former
    from list_moved_holders(${pointSystemId}::uuid, ${wallet}::bytea) m
    cross join lateral (
      select g.distributed_at from ${sql.identifier(table)} g
      where g.point_system_id = ${pointSystemId}::uuid and g.reward_id = ${rewardId}::uuid and g.address = m.address
        ${isBefore}
      offset 0
    ) d
    where ${isMoved(sql`d.distributed_at`)}
  )`;
}

/**
 * Selects `address` and `holder` of the wallets whose points in a window that ended are another wallet's since.
 * @param windowId the window
 * @param wallet the only wallet that the caller reads; all of them when left out
 */
export function selectHoldersSince(pointSystemId: Id, windowId: Id, wallet: SQL = sql`null`): SQL {
  return sql`(
    select m.address, m.holder
    from list_moved_holders(${pointSystemId}::uuid, ${wallet}::bytea) m
    where ${isMoved(sql`find_window_end(${pointSystemId}::uuid, ${windowId}::uuid)`)}
  )`;
}

/** Matches the move `m` that took what its wallet had at a moment. */
const isMoved = (moment: SQL) => sql`m.after < ${moment} and m.until >= ${moment}`;
