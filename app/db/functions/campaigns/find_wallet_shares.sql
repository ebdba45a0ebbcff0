-- Finds where the shares of a wallet in all rewards are (ctid), in the order of the wallets' index, as find_shares does and for
-- its reasons. A place holds for the statement that asks for it.
create or replace function find_wallet_shares(system uuid, holder bytea) returns tid[]
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_incremental_sort = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return array(
    select d.ctid from distributions d
    where d.point_system_id = system and d.address >= holder and d.address <= holder
    order by d.address
  );
end $$;
