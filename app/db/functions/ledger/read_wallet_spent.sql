-- Reads what a wallet has spent. No row for one that never did. The planner puts it into the caller's statement, so it has
-- no settings of its own.
create or replace function read_wallet_spent(system uuid, wallet bytea) returns table (spent bigint)
language sql stable as $$
  select s.spent from wallet_spending s where s.point_system_id = system and s.address = wallet limit 1
$$;
