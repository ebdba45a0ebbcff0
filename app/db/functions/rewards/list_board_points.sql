-- Lists the wallets of a board with their points: a point system's all-time board, or another board's window, which does
-- not know who is blacklisted now. A wallet that is linked to a blacklisted one counts as blacklisted, too. The planner
-- puts this function into the caller's statement, so it has no settings of its own.
create or replace function list_board_points(system uuid, board uuid)
returns table (address bytea, points bigint, is_blacklisted boolean)
language sql stable as $$
  select w.address, w.points, w.is_blacklisted or board <> system and (
    exists (select from blacklist b where b.point_system_id = system and b.address = w.address)
    or exists (
      select from wallet_links l join blacklist b on b.point_system_id = system and b.address = l.primary_address
      where l.point_system_id = system and l.address = w.address
    )
  )
  from wallets w where w.point_system_id = board
$$;
