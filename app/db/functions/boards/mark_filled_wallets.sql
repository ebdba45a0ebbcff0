-- Marks the wallets of a window that is being filled that are on the blacklist: those of its next addresses after one.
-- Answers the last of these, null at the end. The caller holds the ledger lock: later changes of the blacklist reach the
-- window's wallets as well.
--
-- One look-up after the other: a join could be planned as a scan of all wallets of the window (docs/decisions/012).
create or replace function mark_filled_wallets(system uuid, filled_window uuid, after bytea, addresses_max int)
returns bytea
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
set enable_sort = off set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
  listed record;
  looked_at int := 0;
begin
  for listed in
    select b.address, w.is_blacklisted from (
      select b.address from blacklist b
      where b.point_system_id = system and b.address > after order by b.address limit addresses_max
    ) b
    left join lateral (
      select w.is_blacklisted from wallets w
      where w.point_system_id = filled_window and w.address = b.address limit 1
    ) w on true
    order by b.address
  loop
    looked_at := looked_at + 1;
    if not listed.is_blacklisted then
      update wallets w set is_blacklisted = true
      where w.point_system_id = filled_window and w.address = listed.address;
    end if;
  end loop;
  return case when looked_at = addresses_max then listed.address end;
end $$;
