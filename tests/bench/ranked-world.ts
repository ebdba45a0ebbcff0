import type { Sql } from "postgres";
import { type BenchCluster, connect, type DatabaseLocation } from "./cluster";
import { prepareOurs, WORLD } from "./world";

/**
 * Creates a database with this many wallets: a tenth of them (at most 100,000) in one group at the
 * bottom, three tenths in six groups of equal points, the rest in a long tail. SQL writes them, and
 * the service's own function ranks them.
 */
export async function createRankedDatabase(
  cluster: BenchCluster,
  wallets: number,
): Promise<DatabaseLocation> {
  const location = await cluster.createDatabase(`ranked_${wallets}`);
  await prepareOurs(location);
  const sql = connect(location);
  try {
    await fillWallets(sql, wallets);
    await sql`select rebuild_ranks(${WORLD.pointSystemId})`;
    await sql.unsafe(MEASURING_FUNCTIONS);
    // Autovacuum would do this within minutes.
    await sql`vacuum analyze`;
    await sql`checkpoint`;
  } finally {
    await sql.end({ timeout: 1 });
  }
  return location;
}

async function fillWallets(sql: Sql, wallets: number): Promise<void> {
  await sql`
    insert into wallets (point_system_id, address, points, events)
    select ${WORLD.pointSystemId}, w.address,
      case
        when w.n < least(${wallets}::bigint / 10, 100000) then 10
        when w.n < ${wallets}::bigint * 4 / 10 then (array[20, 50, 100, 250, 500, 1000])[1 + w.n * 7919 % 6]
        -- The wallet of place r of the long tail has 50 * (wallets / r) ^ 1.1 points.
        else floor(50 / power((w.n * 104729 % ${wallets}::bigint + 1) / ${wallets}::float8, 1.1))
      end,
      1
    from (
      select n, decode(
        lpad(to_hex(n * 2654435761 % 4294967296), 8, '0') || lpad(to_hex(n), 32, '0'), 'hex'
      ) as address
      from generate_series(0, ${wallets}::bigint - 1) n
    ) w`;
  await sql`
    update point_system_totals set wallets = ${wallets}, events = ${wallets}
    where point_system_id = ${WORLD.pointSystemId}`;
}

/** Functions that measure the time in SQL for each call, without round trips and planning. */
const MEASURING_FUNCTIONS = `
  create function bench_ranks(system uuid, calls int, counts boolean) returns float8
  language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan
  as $$
  declare
    wallet record;
    started_at timestamptz;
    times float8[] := '{}';
    position bigint;
  begin
    for wallet in
      select w.points, w.address from (
        select floor(random() * t.wallets)::bigint as n
        from point_system_totals t, generate_series(1, calls) where t.point_system_id = system
      ) drawn
      join wallets w on w.point_system_id = system and w.address = decode(
        lpad(to_hex(n * 2654435761 % 4294967296), 8, '0') || lpad(to_hex(n), 32, '0'), 'hex')
    loop
      started_at := clock_timestamp();
      if counts then
        position := 1 + (
            select count(*) from wallets w
            where w.point_system_id = system and not w.is_blacklisted and w.points > wallet.points
          ) + (
            select count(*) from wallets w
            where w.point_system_id = system and not w.is_blacklisted and w.points = wallet.points
              and w.address < wallet.address
          );
      else
        position := rank_on_board(system, wallet.points, wallet.address);
      end if;
      times := times || extract(epoch from clock_timestamp() - started_at)::float8 * 1e6;
    end loop;
    return (select percentile_cont(0.5) within group (order by t) from unnest(times) t);
  end $$`;

/**
 * Measures the median time of a rank in SQL, in microseconds.
 * @param boardId the point system's id, or a window's
 */
export async function measureRankTime(
  location: DatabaseLocation,
  calls: number,
  counts = false,
  boardId: string = WORLD.pointSystemId,
): Promise<number> {
  const sql = connect(location);
  try {
    const [row] = await sql<{ micros: number }[]>`
      select bench_ranks(${boardId}, ${calls}, ${counts}) as micros`;
    return row?.micros ?? Number.NaN;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
