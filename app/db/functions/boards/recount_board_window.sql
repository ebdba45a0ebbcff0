-- Rights the wallets of a window that are not what the ledger's events add up to. The caller holds the ledger lock, and
-- makes the counts of the ranks again in the same transaction. Marks of the blacklist stay.
create or replace function recount_board_window(window_id uuid) returns void
language sql volatile
as $$
  with differences as materialized (select * from list_window_differences(window_id)),
  changed as (
    update wallets w set points = d.true_points, events = d.true_events from differences d
    where w.point_system_id = window_id and w.address = d.address and d.true_points is not null
  ),
  removed as (
    delete from wallets w using differences d
    where w.point_system_id = window_id and w.address = d.address and d.true_points is null
  )
  insert into wallets (point_system_id, address, points, events, is_blacklisted)
  select window_id, d.address, d.true_points, d.true_events, exists (
    select from blacklist l join board_windows b on b.point_system_id = l.point_system_id
    where b.id = window_id and l.address = d.address
  )
  from differences d where d.stored_points is null
$$;
