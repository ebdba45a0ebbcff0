-- Adds points and events to wallets of boards by their place (ctid), as change_rank_counts does and for its reasons. With
-- `credited_at`, notes credits of that time. Nothing else changes these rows meanwhile: the caller holds the ledger lock.
create or replace function change_wallets(
  boards uuid[], places tid[], points_added bigint[], events_added bigint[], credited_at timestamptz
) returns void
language plpgsql volatile
set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off
set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set jit = off
as $$
begin
  update wallets w
  set points = w.points + v.points, events = w.events + v.events,
    last_credit_at = greatest(w.last_credit_at, credited_at)
  from unnest(places, points_added, events_added) as v(place, points, events)
  where w.point_system_id = any(boards) and w.ctid = v.place;
end $$;
