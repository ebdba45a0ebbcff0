import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { type ConnectionTransaction, type Executor, withDatabase } from "../../db/client";
import { rewards } from "../../db/schema/rewards";
import type { Address } from "../../domain/address";
import { BALANCE } from "../../domain/rewards/counted-points";
import { selectGivenPoints, selectHoldersSince } from "./given";

/** The points that a reward counts. */
export interface PointsSource {
  readonly pointSystemId: string;
  /** The reward that counts them; null for terms without a reward. */
  readonly rewardId: string | null;
  /** The window of a board; null for all points. */
  readonly windowId: string | null;
  /** Whether spent points are taken off. */
  readonly isBalance: boolean;
  /** The first campaign of the family; null when no other campaign of it counts points. */
  readonly familyId: string | null;
}

const dialect = new PgDialect();

/**
 * Finds the points that a reward counts.
 * @param rewardId null for all points
 */
export async function findPointsSource(
  pointSystemId: string,
  rewardId: string | null,
  executor?: Executor,
): Promise<PointsSource> {
  if (rewardId === null) return toSource(pointSystemId, rewardId, undefined);
  const query = selectPointsSource(pointSystemId, rewardId);
  const run = (db: Executor) => db.execute<PointsSourceRow>(query);
  const [row] = await (executor ? run(executor) : withDatabase(run));
  return toSource(pointSystemId, rewardId, row);
}

/**
 * Finds the points that a build counts, and locks the family's splits until the transaction ends: two of them at once
 * would count the same points.
 */
export async function holdPointsSource(
  tx: ConnectionTransaction,
  { pointSystemId, rewardId }: { readonly pointSystemId: string; readonly rewardId: string },
): Promise<PointsSource> {
  await tx`
    select pg_advisory_xact_lock(hashtextextended('family:' || coalesce(family_id, id), 0)) from rewards
    where point_system_id = ${pointSystemId} and id = ${rewardId}`;
  const query = selectPointsSource(pointSystemId, rewardId);
  const [row] = await toStatement<PointsSourceRow>(tx, query);
  return toSource(pointSystemId, rewardId, row);
}

/** Makes a statement of a build's connection from a query. */
export function toStatement<Row extends object>(tx: ConnectionTransaction, query: SQL) {
  const { sql: text, params } = dialect.sqlToQuery(query);
  return tx.unsafe<Row[]>(text, params as string[]);
}

/**
 * Selects `address`, `points` and `is_blacklisted` of the wallets whose points a source counts.
 * - A balance is what a wallet earned less what it spent.
 * - A board's window is frozen. A wallet that is blacklisted now gets nothing of it either.
 * - Points that another campaign of the family counted are taken off, each once, at the wallet that holds them now:
 *   the order of splits is the order of their locks. After voids, a wallet whose points fell below what was counted
 *   has none.
 * @param wallet the only wallet; all of them when left out
 */
export function selectCountedPoints(source: PointsSource, wallet?: Address): SQL {
  const { pointSystemId, rewardId, windowId, isBalance, familyId } = source;
  const system = sql`${pointSystemId}::uuid`;
  const board = sql`${windowId ?? pointSystemId}::uuid`;
  const all = isBalance
    ? sql`list_balances(${system})`
    : sql`list_board_points(${system}, ${board})`;
  const own = wallet === undefined ? undefined : sql`decode(${wallet.slice(2)}, 'hex')`;
  const held =
    own === undefined ? all : sql`find_board_points(${system}, ${board}, ${isBalance}, ${own})`;
  if (isBalance || familyId === null || rewardId === null) return held;
  const points = sql`greatest(w.points - coalesce(g.points, 0), 0) as points`;
  if (windowId !== null) {
    return sql`(
      select w.address, ${points}, w.is_blacklisted
      from ${held} w
      left join ${selectHoldersSince(pointSystemId, windowId)} h on h.address = w.address
      left join ${selectGivenPoints(pointSystemId, rewardId, familyId)} g on g.address = coalesce(h.holder, w.address)
    )`;
  }
  return sql`(
    select w.address, ${points}, w.is_blacklisted
    from ${held} w
    left join ${selectGivenPoints(pointSystemId, rewardId, familyId, own)} g on g.address = w.address
  )`;
}

/** A wallet that asks for its standing in rewards, as parts of a query of `rewards`. */
interface AskingWallet {
  readonly pointSystemId: SQLWrapper;
  readonly address: SQLWrapper;
  /** The wallet that holds its points. */
  readonly holder: SQLWrapper;
}

/**
 * Selects a wallet's points that a reward counts otherwise than all points, as `selectCountedPoints` does. A board's are
 * those of the asked wallet itself, since its split pays the wallets of its end.
 */
export function selectOwnPoints(asking: AskingWallet): SQL<number | null> {
  const { id, pointsBoard, pointsWindowId, familyId } = rewards;
  const system = sql`${asking.pointSystemId}::uuid`;
  const window = sql`${pointsWindowId}`;
  const [asked, holder] = [sql`${asking.address}`, sql`${asking.holder}`];
  const isOfFamily = sql`(${familyId} is not null or ${id} in (
    select f.family_id from rewards f where f.point_system_id = ${system} and f.family_id is not null
  ))`;
  const takeGiven = (points: SQL, wallet: SQL) => {
    const given = selectGivenPoints(system, sql`${id}`, sql`coalesce(${familyId}, ${id})`, wallet);
    return sql`greatest(${points} - case when ${isOfFamily} then coalesce((
      select g.points from ${given} g where g.address = ${wallet}
    ), 0) else 0 end, 0)`;
  };
  const holderSince = sql`coalesce((
    select h.holder from ${selectHoldersSince(system, window, asked)} h where h.address = ${asked}
  ), ${asked})`;
  const held = sql`coalesce((select p.points from read_wallet_points(${system}, ${holder}) p), 0)`;
  return sql`case
    when ${pointsBoard} = ${BALANCE} then ${held} - coalesce((
      select s.spent from read_wallet_spent(${system}, ${holder}) s
    ), 0)
    when ${window} is not null then coalesce((
      select ${takeGiven(sql`w.points`, holderSince)} from find_board_points(${system}, ${window}, false, ${asked}) w
      where not w.is_blacklisted
    ), 0)
    when ${isOfFamily} then ${takeGiven(held, holder)}
  end`.mapWith((points: string | null) => (points === null ? null : Number(points)));
}

interface PointsSourceRow extends Record<string, unknown> {
  readonly windowId: string | null;
  readonly isBalance: boolean;
  readonly familyId: string | null;
}

function selectPointsSource(pointSystemId: string, rewardId: string): SQL {
  return sql`
    select r.points_window_id as "windowId", r.points_board is not distinct from ${BALANCE} as "isBalance", case when r.family_id is not null or exists (
      select 1 from rewards f where f.point_system_id = r.point_system_id and f.family_id = r.id
    ) then coalesce(r.family_id, r.id) end as "familyId"
    from rewards r where r.point_system_id = ${pointSystemId}::uuid and r.id = ${rewardId}::uuid`;
}

function toSource(
  pointSystemId: string,
  rewardId: string | null,
  row: PointsSourceRow | undefined,
): PointsSource {
  const { windowId = null, isBalance = false, familyId = null } = row ?? {};
  return { pointSystemId, rewardId, windowId, isBalance, familyId };
}
