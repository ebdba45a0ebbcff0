-- Removes addresses from the blacklist, and lists those that were on it, with their reasons. The caller holds the ledger
-- lock. Each is looked up by the one index that has the order that is asked for, and removed by its place, as
-- settle_bonuses does.
create or replace function remove_from_blacklist(system uuid, addresses bytea[])
returns table (address bytea, reason text)
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_bitmapscan = off set enable_sort = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  places tid[] := array(
    select b.place from unnest(addresses) as q(address)
    cross join lateral (
      select b.ctid as place from blacklist b
      where b.point_system_id = system and b.address >= q.address and b.address <= q.address order by b.address limit 1
    ) b
  );
begin
  return query delete from blacklist b where b.ctid = any(places) returning b.address, b.reason;
end $$;
