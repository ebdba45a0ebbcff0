-- Adds points and events to wallets in an open window of a board. A wallet without points has no row there. The caller
-- holds the ledger lock.
create or replace function change_window_wallets(
  system uuid, window_id uuid, addresses bytea[], points_added bigint[], events_added bigint[]
) returns void
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
  places tid[] := find_wallet_places(window_id, addresses);
begin
  insert into wallets (point_system_id, address, points, events, is_blacklisted)
  select window_id, c.address, c.points, c.events, b.is_there is not null
  from unnest(addresses, points_added, events_added, places) as c(address, points, events, place)
  left join lateral (
    -- In the order of the right index alone.
    select true as is_there from blacklist b
    where b.point_system_id = system and b.address >= c.address and b.address <= c.address order by b.address limit 1
  ) b on true
  where c.place is null and c.points <> 0;
  perform change_wallets(array[window_id], places, points_added, events_added, null);
  if 0 >= any(points_added) then
    perform from remove_emptied_wallets(window_id, addresses);
  end if;
end $$;
