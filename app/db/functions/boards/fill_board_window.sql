-- Counts the events of the ledger up to now into a window that is not ready yet, from where the last call ended, in one
-- statement and so at one moment. Answers how many events came since that call, up to 10,000. While the caller holds
-- the ledger lock, the window's wallets are complete afterwards.
--
-- A wallet's sum up to any position of the ledger is never negative: a correction follows its event.
create or replace function fill_board_window(window_id uuid) returns bigint
language plpgsql volatile
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
  filling record;
  passed bigint;
  reached_seq bigint;
  places tid[];
  points_added bigint[];
  events_added bigint[];
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
    select e.seq from point_events e
    where e.point_system_id = filling.point_system_id order by e.seq desc limit 1
  ),
  counted as materialized (
    -- The first time by the window's times, then by what came since.
    select e.address, e.points, e.voids from (
      select * from point_events e
      where filling.filled_seq = 0 and e.point_system_id = filling.point_system_id
        and e.created_at >= filling.starts_at and e.created_at < filling.ends_at
      union all
      select * from (
        select * from point_events e
        where filling.filled_seq > 0 and e.point_system_id = filling.point_system_id and e.seq > filling.filled_seq
        order by e.seq limit 9223372036854775807
      ) later
    ) e
    where counts_in_window(e.created_at, e.voids_created_at, filling.starts_at, filling.ends_at)
  ),
  sums as materialized (
    select s.address, s.points, s.events, w.place
    from (
      select address, sum(points) as points, sum(case when voids is null then 1 else -1 end) as events
      from counted group by address
    ) s
    left join lateral (
      select w.ctid as place from wallets w where w.point_system_id = window_id and w.address = s.address limit 1
    ) w on true
  ),
  opened as (
    insert into wallets (point_system_id, address, points, events)
    select window_id, s.address, s.points, s.events from sums s where s.place is null and s.points > 0
  )
  select (select seq from counted_to), array_agg(s.place), array_agg(s.points), array_agg(s.events)
  into reached_seq, places, points_added, events_added
  from sums s where s.place is not null;
  if places is not null then
    perform change_board_wallets(window_id, places, points_added, events_added);
  end if;
  update board_windows w set filled_seq = greatest(w.filled_seq, reached_seq) where w.id = window_id;
  delete from wallets w where w.point_system_id = window_id and w.points = 0;
  return passed;
end $$;
