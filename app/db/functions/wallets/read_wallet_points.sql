-- Reads the points of a wallet on a board: a point system's all-time board, or another board's window. No row for one
-- without an entry. The planner puts it into the caller's statement, so it has no settings of its own.
create or replace function read_wallet_points(board uuid, wallet bytea) returns table (points bigint)
language sql stable as $$
  select w.points from wallets w where w.point_system_id = board and w.address = wallet limit 1
$$;
