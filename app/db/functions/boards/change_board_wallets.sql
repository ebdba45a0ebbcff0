-- Adds to wallets of a window by their place (ctid), as change_rank_counts does and for its reasons. Nothing else
-- changes these rows meanwhile: the caller holds the window's row, and the window is not open to credits.
create or replace function change_board_wallets(
  window_id uuid, places tid[], points_added bigint[], events_added bigint[]
) returns void
language plpgsql volatile
set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off
set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set jit = off
as $$
begin
  update wallets w set points = w.points + v.points, events = w.events + v.events
  from unnest(places, points_added, events_added) as v(place, points, events)
  where w.point_system_id = window_id and w.ctid = v.place;
end $$;
