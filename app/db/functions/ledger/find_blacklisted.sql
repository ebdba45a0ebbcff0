-- Lists those of these addresses that are on the blacklist, or that are linked to a wallet which is. Each is looked up by
-- the one index that has the order that is asked for: that of the list by time would be read whole for each address
-- (docs/decisions/012).
create or replace function find_blacklisted(system uuid, addresses bytea[]) returns table (address bytea)
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  has_links boolean := exists (select from wallet_links l where l.point_system_id = system);
begin
  return query
  select q.address from unnest(addresses) as q(address)
  where exists (
    select from unnest(array[q.address, case when has_links then find_primary(system, q.address) end]) as h(address)
    cross join lateral (
      select true from blacklist b
      where b.point_system_id = system and b.address >= h.address and b.address <= h.address order by b.address limit 1
    ) b
  );
end $$;
