-- Counts events of the ledger into a window that is not ready yet, in one statement and so at one moment: at first all up to
-- now, then the next ones behind the last call's, at most 10,000. Others wait for the wallets that it changes, so it is short.
-- Answers how many events came since the last call, up to 10,000: with fewer, none is left. While the caller holds the
-- ledger lock (`is_locked`), new wallets have their mark of the blacklist.
--
-- A wallet's sum up to any position of the ledger is never negative: a correction follows its event. An event counts for
-- the wallet that holds its points then. A move since the last call takes along what the wallet had in the window.
create or replace function fill_board_window(window_id uuid, is_locked boolean) returns bigint
language plpgsql volatile
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
  filling record;
  passed bigint;
  reached_seq bigint;
  changed bytea[];
  points_added bigint[];
  events_added bigint[];
  change record;
begin
  select w.* into filling from board_windows w where w.id = window_id and not w.is_ready for update;
  if not found then
    return 0;
  end if;
  select count(*) into passed from (
    select from point_events e
    where e.point_system_id = filling.point_system_id and e.seq > filling.filled_seq
    order by e.seq limit 10000
  ) e;
  with counted_to as materialized (
    select case when filling.filled_seq = 0 then (
      select e.seq from point_events e where e.point_system_id = filling.point_system_id order by e.seq desc limit 1
    ) else (
      select max(e.seq) from (
        select e.seq from point_events e
        where e.point_system_id = filling.point_system_id and e.seq > filling.filled_seq
        order by e.seq limit 10000
      ) e
    ) end as seq
  ),
  moves as materialized (select has_moves(filling.point_system_id) as are_any),
  counted as materialized (
    -- The first time by the window's times, then by what came since.
    select h.address, e.points, case when e.voids is null then 1 else -1 end as events from (
      select * from point_events e
      where filling.filled_seq = 0 and e.point_system_id = filling.point_system_id
        and e.created_at >= filling.starts_at and e.created_at < filling.ends_at
      union all
      select * from (
        select * from point_events e
        where filling.filled_seq > 0 and e.point_system_id = filling.point_system_id and e.seq > filling.filled_seq
          and e.seq <= (select seq from counted_to)
        order by e.seq limit 9223372036854775807
      ) later
    ) e
    cross join lateral (
      select case when (select are_any from moves) then find_event_holder(
        e.point_system_id, e.address, e.seq, (select seq from counted_to)
      ) else e.address end as address
    ) h
    where counts_in_window(e.created_at, e.voids_created_at, filling.starts_at, filling.ends_at) and e.moved_events is null
    union all
    select v.address, v.points, v.events from (
      select distinct m.address from point_events m
      where (select are_any from moves) and filling.filled_seq > 0 and m.point_system_id = filling.point_system_id
        and m.moved_events < 0 and m.seq > filling.filled_seq and m.seq <= (select seq from counted_to)
    ) m
    join wallets w on w.point_system_id = window_id and w.address = m.address
    cross join lateral (
      select find_event_holder(
        filling.point_system_id, m.address, filling.filled_seq, (select seq from counted_to)
      ) as address offset 0
    ) h
    cross join lateral (values (w.address, -w.points, -w.events), (h.address, w.points, w.events)) v(address, points, events)
  ),
  sums as materialized (
    select s.address, s.points, s.events, w.is_there is not null as is_there
    from (
      select address, sum(points) as points, sum(events) as events
      from counted group by address
    ) s
    left join lateral (
      select true as is_there from wallets w where w.point_system_id = window_id and w.address = s.address limit 1
    ) w on true
  ),
  opened as (
    insert into wallets (point_system_id, address, points, events, is_blacklisted)
    select window_id, s.address, s.points, s.events, is_locked and (
      select b.address from blacklist b
      where b.point_system_id = filling.point_system_id and b.address >= s.address and b.address <= s.address
      order by b.address limit 1
    ) is not null
    from sums s where not s.is_there and s.points > 0
  )
  select (select seq from counted_to), array_agg(s.address), array_agg(s.points), array_agg(s.events)
  into reached_seq, changed, points_added, events_added
  from sums s where s.is_there;
  -- By the address, one by one: a change of the blacklist may give a row another place meanwhile.
  for change in select * from unnest(changed, points_added, events_added) as c(address, points, events) order by c.address loop
    update wallets w set points = w.points + change.points, events = w.events + change.events
    where w.point_system_id = window_id and w.address = change.address;
    continue when change.points >= 0;
    delete from wallets w where w.point_system_id = window_id and w.address = change.address and w.points = 0;
  end loop;
  update board_windows w set filled_seq = greatest(w.filled_seq, reached_seq) where w.id = window_id;
  return passed;
end $$;
