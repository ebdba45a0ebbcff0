-- Answers the wallet that holds the points of a wallet: the primary one of a linked wallet, otherwise the wallet itself.
-- A linked wallet that is blacklisted stands for itself: it earns nothing, whatever its primary may do.
create or replace function find_primary(system uuid, wallet bytea) returns bytea
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set plan_cache_mode = force_generic_plan
as $$
declare
  found_primary bytea;
begin
  select l.primary_address into found_primary from wallet_links l
  where l.point_system_id = system and l.address >= wallet and l.address <= wallet order by l.address limit 1;
  -- PostgreSQL takes the order away from what is asked to exist.
  if found_primary is not null and (
    select true from blacklist b
    where b.point_system_id = system and b.address >= wallet and b.address <= wallet order by b.address limit 1
  ) is null then
    return found_primary;
  end if;
  return wallet;
end $$;
