-- Sets counts of the board by their place (ctid). The caller holds the row in rank_cursors, so the places
-- stay valid. An upsert would look each row up again and lock it before the change.
--
-- A function of its own, with every other access path turned off: inside fold_ranks, a plan made while the
-- table was empty read all counts for each change (docs/decisions/012).
create or replace function change_rank_counts(system uuid, places tid[], counts int[]) returns void
language plpgsql volatile
set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off
set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set jit = off
as $$
begin
  update rank_counts r set wallets = v.wallets
  from unnest(places, counts) as v(place, wallets)
  where r.point_system_id = system and r.ctid = v.place;
end $$;
