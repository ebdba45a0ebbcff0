-- Moves what a wallet has spent to another wallet, by a pair of rows, and returns the moved points. A later reversal of
-- one of its spends gives the points to the other wallet. The caller holds the ledger lock, and moves what the wallet
-- earned after this and in the same transaction: points that are spent are never taken back.
create or replace function move_spending(system_id uuid, from_wallet bytea, to_wallet bytea) returns bigint
language plpgsql volatile as $$
declare
  moved bigint := coalesce((
    select s.spent from wallet_spending s where s.point_system_id = system_id and s.address = from_wallet
  ), 0);
  done bigint;
begin
  if moved > 0 then
    done := record_spend(
      system_id, gen_random_uuid(), from_wallet, -moved, null, null, null, null, to_wallet, null
    );
    done := record_spend(system_id, gen_random_uuid(), to_wallet, moved, null, null, null, null, from_wallet, null);
  end if;
  return moved;
end $$;
