-- Finds a wallet's own entry of the blacklist by the one index that has the order that is asked for, as find_blacklisted does.
create or replace function find_blacklist_entry(system uuid, wallet bytea)
returns table (address bytea, reason text, created_at timestamptz)
language plpgsql stable rows 1
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
begin
  return query
  select b.address, b.reason, b.created_at from blacklist b
  where b.point_system_id = system and b.address >= wallet and b.address <= wallet order by b.address limit 1;
end $$;
