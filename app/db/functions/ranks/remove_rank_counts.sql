-- Deletes counts of the board by their place (ctid). The caller holds the row in rank_cursors. The rows are
-- named by their place, because a join could be planned as a scan of them all.
create or replace function remove_rank_counts(system uuid, places tid[]) returns void
language plpgsql volatile
set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off
set enable_bitmapscan = off set plan_cache_mode = force_generic_plan
as $$
begin
  delete from rank_counts r where r.point_system_id = system and r.ctid = any(places);
end $$;
