-- Adds up the points of a season that has no total yet, from its wallets. Later events are folded in. The points and the
-- position come from one statement, hence from one moment. The caller holds the ledger lock or that of the program
-- (lock_program): no fold passes the position before the total is there.
create or replace function open_season_total(window_id uuid) returns void
language sql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
  insert into season_totals (point_system_id, points, after_seq)
  select w.id, coalesce((select sum(s.points) from wallets s where s.point_system_id = w.id), 0), coalesce((
    select e.seq from point_events e where e.point_system_id = w.point_system_id order by e.seq desc limit 1
  ), 0)
  from board_windows w
  join boards b on b.point_system_id = w.point_system_id and b.id = w.board_id and b.kind = 'season'
  where w.id = window_id and w.is_ready and not exists (
    select from season_totals t where t.point_system_id = w.id
  )
  on conflict do nothing
$$;
