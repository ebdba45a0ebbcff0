-- Reads what a wallet has earned and spent; of a linked wallet, what its primary one has. No row for an address without an
-- entry. earned >= spent, always.
create or replace function read_balance(system_id uuid, wallet bytea) returns table (earned bigint, spent bigint)
language sql stable as $$
  select w.points, coalesce((
    select s.spent from wallet_spending s where s.point_system_id = system_id and s.address = w.address limit 1
  ), 0)
  from wallets w where w.point_system_id = system_id and w.address = find_primary(system_id, wallet)
$$;
