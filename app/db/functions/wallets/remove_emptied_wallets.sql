-- Deletes those wallets of addresses on a board that have no points, and answers how many, and how many of them were
-- blacklisted. Nothing else changes these rows meanwhile, as in change_wallets.
create or replace function remove_emptied_wallets(board uuid, addresses bytea[])
returns table (removed int, blacklisted int)
language plpgsql volatile
set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off
set enable_bitmapscan = off set plan_cache_mode = force_generic_plan
as $$
declare
  places tid[] := find_wallet_places(board, addresses);
begin
  return query
  with gone as (
    delete from wallets w where w.point_system_id = board and w.ctid = any(places) and w.points = 0
    returning w.is_blacklisted
  )
  select count(*)::int, count(*) filter (where g.is_blacklisted)::int from gone g;
end $$;
