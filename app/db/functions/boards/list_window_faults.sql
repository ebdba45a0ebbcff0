-- Lists what the wallets of an open or closed window lack to be what the ledger's events add up to, negative where they have
-- too much: some of them, as of one moment. `seq` is the newest event's position then. No row for a window of which events
-- are archived: its wallets are what is left of them.
create or replace function list_window_faults(window_id uuid, wallets_max int)
returns table (address bytea, points bigint, events bigint, seq bigint)
language sql stable as $$
  select d.address, coalesce(d.true_points, 0) - coalesce(d.stored_points, 0),
    coalesce(d.true_events, 0) - coalesce(d.stored_events, 0), n.seq
  from board_windows w
  join boards b on b.point_system_id = w.point_system_id and b.id = w.board_id
  left join point_system_totals t on t.point_system_id = w.point_system_id
  cross join lateral (
    select coalesce((
      select e.seq from point_events e where e.point_system_id = w.point_system_id order by e.seq desc limit 1
    ), 0) as seq
  ) n
  cross join lateral list_window_differences(w.id) d
  where w.id = window_id and w.is_ready and t.archived_before > w.starts_at is not true
  limit wallets_max
$$;
