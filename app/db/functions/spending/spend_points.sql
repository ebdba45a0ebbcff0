-- Takes points from a wallet's balance, once for each idempotency key of an API key. The caller holds the ledger lock.
--
-- The verdict is the first that holds:
-- - `replayed`: the key's spend was there before. Its id, points and balance are the answer, and nothing is written.
-- - `idempotency_key_reused`: it was there with another wallet, other points or another reason.
-- - `wallet_blacklisted`, `insufficient_points`: nothing is written.
-- - `spent`.
create or replace function spend_points(
  system_id uuid, spend_id uuid, wallet bytea, amount bigint, words text, key_id uuid, idempotency_key text
) returns table (verdict text, id uuid, balance bigint)
language plpgsql volatile
set enable_seqscan = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  key_digest bytea := substring(
    sha256(uuid_send(key_id) || uuid_send(system_id) || convert_to(idempotency_key, 'UTF8')) for 16
  );
  first spends;
  -- A linked wallet spends what its primary one has.
  holder bytea := find_primary(system_id, wallet);
begin
  if key_digest is not null then
    select * into first from spends s where s.point_system_id = system_id and s.digest = key_digest;
    if found then
      return query select case
        when (coalesce(first.named_address, first.address), first.points, first.reason) = (wallet, amount, words)
          then 'replayed'
        else 'idempotency_key_reused'
      end, first.id, first.balance;
      return;
    end if;
  end if;
  if exists (
    select from unnest(array[wallet, holder]) as h(address) cross join lateral find_blacklist_entry(system_id, h.address)
  ) then
    return query select 'wallet_blacklisted', null::uuid, null::bigint;
  elsif amount > coalesce((select b.earned - b.spent from read_balance(system_id, holder) b), 0) then
    return query select 'insufficient_points', null::uuid, null::bigint;
  else
    return query select 'spent', spend_id, record_spend(
      system_id, spend_id, holder, amount, words, key_id, null, null, null, key_digest, nullif(wallet, holder)
    );
  end if;
end $$;
