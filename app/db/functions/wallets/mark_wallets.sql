-- Marks the wallets of addresses on a board as blacklisted, or no longer so, and answers how many were not. The caller
-- holds the ledger lock. Each is changed by its address, since a pass that fills a window takes no lock of the ledger: it
-- may give a row another place meanwhile.
create or replace function mark_wallets(board uuid, addresses bytea[], is_marked boolean) returns int
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
  marked int := 0;
  named bytea;
begin
  -- In the order in which a pass that fills a window changes them, too: each waits for the other's rows.
  for named in select unnest(addresses) order by 1 loop
    update wallets w set is_blacklisted = is_marked
    where w.point_system_id = board and w.address = named and w.is_blacklisted <> is_marked;
    marked := marked + found::int;
  end loop;
  return marked;
end $$;
