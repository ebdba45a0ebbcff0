-- Marks the wallets of a window that is being filled that are on the blacklist: those of its next addresses after one.
-- Answers the last of these, null at the end and for a window that is open. The caller holds the ledger lock: later changes
-- of the blacklist reach the window's wallets as well.
create or replace function mark_filled_wallets(system uuid, filled_window uuid, after bytea, addresses_max int)
returns bytea
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
  listed bytea[] := array(
    select b.address from blacklist b
    where b.point_system_id = system and b.address > after order by b.address limit addresses_max
  );
begin
  -- Another process may have opened it, and closed it since: then later changes of the blacklist do not reach it.
  if not exists (select from board_windows w where w.id = filled_window and not w.is_ready) then
    return null;
  end if;
  perform mark_wallets(filled_window, listed, true);
  return listed[addresses_max];
end $$;
