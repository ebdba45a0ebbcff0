-- Writes the state of bonuses that were due, and the events that pay them. The caller holds the ledger lock. Each is looked
-- up by the one index that has the order that is asked for, and changed by its place alone: a point system keeps the
-- bonuses of all times, and none of the others is read (docs/decisions/012).
create or replace function settle_bonuses(
  system uuid, streak_ids uuid[], addresses bytea[], lengths int[], reached_days date[], states text[], event_ids uuid[]
) returns void
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_bitmapscan = off set enable_sort = off set plan_cache_mode = force_generic_plan set jit = off
as $$
begin
  update streak_bonuses b set state = o.state, event_id = o.event_id
  from (
    select u.state, u.event_id, r.place
    from unnest(streak_ids, addresses, lengths, reached_days, states, event_ids)
      as u(streak_id, address, days, reached_on, state, event_id)
    cross join lateral (
      select b.ctid as place from streak_bonuses b
      where b.point_system_id = system and b.streak_id = u.streak_id and b.address = u.address and b.days = u.days
        and b.reached_on >= u.reached_on and b.reached_on <= u.reached_on
      order by b.reached_on limit 1
    ) r
    offset 0
  ) o
  where b.ctid = o.place;
end $$;
