-- Deletes rows of wallet_weeks by their place (ctid), as remove_rank_counts does and for its reason. The caller holds the
-- row in statistics_cursors, so the places stay valid.
create or replace function remove_wallet_weeks(system uuid, places tid[]) returns void
language plpgsql volatile
set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off
set enable_bitmapscan = off set plan_cache_mode = force_generic_plan
as $$
begin
  delete from wallet_weeks w where w.point_system_id = system and w.ctid = any(places);
end $$;
