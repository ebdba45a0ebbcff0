-- Adds up the points of the seasons that have no total yet, from their wallets: once for each season. Later events are
-- folded in. The points and the position come from one statement, hence from one moment.
create or replace function open_season_totals(system uuid) returns void
language sql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
  insert into season_totals (point_system_id, points, after_seq)
  select w.id, coalesce((select sum(s.points) from wallets s where s.point_system_id = w.id), 0), coalesce((
    select e.seq from point_events e where e.point_system_id = system order by e.seq desc limit 1
  ), 0)
  from board_windows w
  join boards b on b.point_system_id = w.point_system_id and b.id = w.board_id and b.kind = 'season'
  where w.point_system_id = system and w.is_ready and not exists (
    select from season_totals t where t.point_system_id = w.id
  )
$$;
