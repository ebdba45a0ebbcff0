-- Lists the wallets of a window that are not what the ledger's events add up to, at one moment: what is stored, and what
-- the events give. Null stands for a wallet without a row, or without points. An event counts for the wallet that holds
-- its points while the window is open.
create or replace function list_window_differences(window_id uuid)
returns table (
  address bytea, stored_points bigint, stored_events bigint, true_points bigint, true_events bigint
)
language sql stable as $$
  select address, w.points, w.events, t.points, t.events
  from (
    select h.address, sum(e.points)::bigint as points, sum(case when e.voids is null then 1 else -1 end) as events
    from board_windows b
    cross join lateral (select has_moves(b.point_system_id) as has_moves offset 0) m
    join point_events e on e.point_system_id = b.point_system_id
      and e.created_at >= b.starts_at and e.created_at < b.ends_at
      and e.seq <= coalesce(b.closed_seq, 9223372036854775807)
      and counts_in_window(e.created_at, e.voids_created_at, b.starts_at, b.ends_at) and e.moved_events is null
    cross join lateral (
      select case when m.has_moves then find_event_holder(
        e.point_system_id, e.address, e.seq, coalesce(b.closed_seq, 9223372036854775807)
      ) else e.address end as address
    ) h
    where b.id = window_id group by h.address having sum(e.points) > 0
  ) t
  full join (select * from wallets where point_system_id = window_id) w using (address)
  where (w.points, w.events) is distinct from (t.points, t.events)
$$;
