-- Lists the links of wallets that are not linked to each other: their own, and those to them. Each is asked for in the
-- order that one index has, and nothing is sorted: another index would be read whole for each wallet
-- (docs/decisions/012).
create or replace function list_links_of(system uuid, wallets bytea[]) returns setof wallet_links
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set plan_cache_mode = force_generic_plan
as $$
begin
  return query
  select l.* from unnest(wallets) as w(address)
  cross join lateral (
    (
      select * from wallet_links
      where point_system_id = system and address >= w.address and address <= w.address
      order by address limit 1
    )
    union all
    (
      select * from wallet_links
      where point_system_id = system and primary_address >= w.address and primary_address <= w.address
      order by primary_address
    )
  ) l;
end $$;
