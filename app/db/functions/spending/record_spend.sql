-- Appends a row to the ledger of spent points, and adds its points to the wallet's sum. Returns the wallet's balance
-- after it; null for a move. A row of a file has a time of its own, `at`, and the balance of that time. The caller holds
-- the ledger lock and has checked that the balance does not fall below 0; the table refuses one that does. It is the
-- only writer of both tables.
create or replace function record_spend(
  system_id uuid, row_id uuid, wallet bytea, amount bigint, words text, key_id uuid, operator uuid, reversed uuid,
  other_wallet bytea, key_digest bytea, named bytea default null, at timestamptz default null
) returns bigint
language plpgsql volatile as $$
declare
  left_over bigint;
begin
  -- Not an upsert: the range of its new row would be checked before its conflict, and a reversal is negative.
  update wallet_spending s set spent = s.spent + amount where s.point_system_id = system_id and s.address = wallet;
  if not found then
    insert into wallet_spending (point_system_id, address, spent) values (system_id, wallet, amount);
  end if;
  if other_wallet is null then
    if at is null then
      select b.earned - b.spent into left_over from read_balance(system_id, wallet) b;
    else
      left_over := balance_at(system_id, wallet, at) - amount;
    end if;
  end if;
  insert into spends (
    point_system_id, id, address, points, balance, reason, created_at, api_key_id, operator_id, reverses, moved_with,
    digest, named_address
  )
  values (
    system_id, row_id, wallet, amount, left_over, words, date_trunc('milliseconds', coalesce(at, clock_timestamp())),
    key_id, operator, reversed, other_wallet, key_digest, named
  );
  return left_over;
end $$;
