-- Lists the next changes of a ledger after a position, for figures by day and week: the rule of what an event counts
-- for. A correction counts for the wallet, the trigger, the time and the boost of the event that it voids, with negative
-- points. The two events of a move cancel each other out; `is_move` tells them from wallets' own.
--
-- A voided event is looked up by the one index that has the order that is asked for, and nothing is sorted: another would
-- be read whole for each correction (docs/decisions/012).
create or replace function list_ledger_changes(system uuid, counted_to bigint, entries_max bigint)
returns table (
  seq bigint, address bytea, points bigint, boost_points bigint, trigger_key text, fired_at timestamptz,
  is_correction boolean, is_move boolean, opens_wallet boolean, created_at timestamptz, voids_created_at timestamptz
)
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_hashjoin = off
set enable_mergejoin = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
  select f.seq, coalesce(v.address, f.address), f.points,
    case when f.voids is null then coalesce(f.points - f.base_points, 0)
      else coalesce(v.base_points - v.points, 0) end,
    case when f.voids is null then f.event else v.event end, coalesce(v.created_at, f.created_at),
    f.voids is not null, f.moved_events is not null, f.opens_wallet, f.created_at, f.voids_created_at
  from (
    select * from point_events e
    where e.point_system_id = system and e.seq > counted_to
    order by e.seq limit entries_max
  ) f
  left join lateral (
    select v.address, v.points, v.base_points, v.event, v.created_at from point_events v
    where v.point_system_id = system and v.created_at >= f.voids_created_at and v.created_at <= f.voids_created_at
      and v.id = f.voids
    order by v.created_at limit 1
  ) v on true;
end $$;
