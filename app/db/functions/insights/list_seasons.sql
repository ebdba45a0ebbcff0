-- Lists the newest seasons that have begun and whose ranks are counted, with their wallets, their points and those of the
-- first wallets. The planner puts it into the caller's statement, so it has no settings of its own.
create or replace function list_seasons(system uuid, seasons_max int, top_wallets int)
returns table (
  slug text, name text, time_zone text, starts_at timestamptz, ends_at timestamptz, wallets bigint, points bigint,
  top_points numeric
)
language sql stable as $$
  select w.slug, w.name, w.time_zone, w.starts_at, w.ends_at, count_board(w.id), t.points, top.points
  from (
    select b.slug, b.name, b.time_zone, w.id, w.starts_at, w.ends_at from boards b
    join board_windows w on w.point_system_id = b.point_system_id and w.board_id = b.id
    where b.point_system_id = system and b.kind = 'season' and w.starts_at <= statement_timestamp()
      and (select c.seq from rank_cursors c where c.point_system_id = w.id limit 1) is not null
    order by w.starts_at desc, b.id limit seasons_max
  ) w
  left join season_totals t on t.point_system_id = w.id
  cross join lateral (
    select coalesce(sum(f.points), 0) as points from (
      select o.points from wallets o
      where o.point_system_id = w.id and not o.is_blacklisted order by o.points desc, o.address limit top_wallets
    ) f
  ) top
$$;
