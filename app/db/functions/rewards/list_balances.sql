-- Lists the wallets of a point system with what they earned less what they spent. The planner puts it into the caller's
-- statement, so it has no settings of its own.
create or replace function list_balances(system uuid)
returns table (address bytea, points bigint, is_blacklisted boolean)
language sql stable as $$
  select w.address, w.points - coalesce(s.spent, 0), w.is_blacklisted
  from wallets w
  left join wallet_spending s on s.point_system_id = system and s.address = w.address
  where w.point_system_id = system
$$;
