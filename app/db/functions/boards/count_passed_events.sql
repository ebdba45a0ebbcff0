-- Sums up, for each wallet, the events over which the times of an open window have passed, from those before to its times
-- now: negative where they count no longer. An event counts for the wallet that holds its points.
create or replace function count_passed_events(
  window_id uuid, starts_before timestamptz, ends_before timestamptz
) returns table (address bytea, points bigint, events bigint)
language sql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
  with board as materialized (
    select b.*, has_moves(b.point_system_id) as has_moves from board_windows b where b.id = window_id and b.is_ready
  ), passed as (
    select e.* from board b
    cross join (values (1), (2)) as side(n)
    join point_events e on e.point_system_id = b.point_system_id
      and e.created_at >= case n when 1 then least(b.starts_at, starts_before) else least(b.ends_at, ends_before) end
      and e.created_at < case n when 1 then greatest(b.starts_at, starts_before) else greatest(b.ends_at, ends_before) end
  ), changed as (
    -- Each once. A correction counts as long as its event does.
    select p.seq, p.address, p.points, p.voids, p.moved_events, p.created_at, p.voids_created_at from passed p
    union
    select c.seq, c.address, c.points, c.voids, c.moved_events, c.created_at, c.voids_created_at from passed p
    join point_events c on c.point_system_id = p.point_system_id and c.voids = p.id
  )
  select h.address, sum(c.points * s.sign)::bigint, sum(case when c.voids is null then s.sign else -s.sign end)::bigint
  from board b
  cross join changed c
  cross join lateral (
    select counts_in_window(c.created_at, c.voids_created_at, b.starts_at, b.ends_at)::int
      - counts_in_window(c.created_at, c.voids_created_at, starts_before, ends_before)::int as sign
  ) s
  cross join lateral (
    select case when b.has_moves then find_event_holder(
      b.point_system_id, c.address, c.seq, 9223372036854775807
    ) else c.address end as address
  ) h
  where s.sign <> 0 and c.moved_events is null
  group by h.address
$$;
