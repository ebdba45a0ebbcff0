-- Lists the leaves of one of a reward's trees, in their order. Only the index by leaf has that order: as in find_shares, no
-- other index is read for all shares of the point system, whatever the statistics say.
create or replace function list_bucket_leaves(system uuid, reward uuid, of_bucket int)
returns table (address bytea, amount_wei numeric)
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_incremental_sort = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
  select d.address, d.amount_wei from distributions d
  where d.point_system_id = system and d.reward_id = reward and d.bucket = of_bucket
  order by d.leaf_index;
end $$;
