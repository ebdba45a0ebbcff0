-- Finds a wallet among those of list_board_points, or of list_balances when `is_balance`. The planner puts it into the
-- caller's statement, so it has no settings of its own.
create or replace function find_board_points(system uuid, board uuid, is_balance boolean, wallet bytea)
returns table (address bytea, points bigint, is_blacklisted boolean)
language sql stable as $$
  select w.address, w.points - case when is_balance then coalesce((
      select s.spent from wallet_spending s where s.point_system_id = system and s.address = wallet
    ), 0) else 0 end,
    w.is_blacklisted or exists (select from find_blacklisted(system, array[wallet]))
  from wallets w where w.point_system_id = board and w.address = wallet
$$;
