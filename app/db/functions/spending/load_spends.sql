-- Writes spends of a file, and reversals of spends, each at its own time, in the order of the arrays. A reversal names its
-- spend in `reversed`; one that is there already changes nothing. Returns the position of the first spend that takes more
-- than its wallet had at its time, or has now, and 0 when there is none; what comes before it is written. The caller
-- holds the ledger lock, and ends its transaction without effect unless the answer is 0.
create or replace function load_spends(
  system_id uuid, ids uuid[], wallets bytea[], amounts bigint[], reasons text[], dates timestamptz[], reversed uuid[]
) returns int
language plpgsql volatile
set enable_seqscan = off set plan_cache_mode = force_generic_plan
as $$
declare
  holder bytea;
  done bigint;
begin
  for i in 1 .. coalesce(cardinality(ids), 0) loop
    if reversed[i] is not null then
      perform from reverse_spend(system_id, reversed[i], ids[i], null, null, null, dates[i]);
      continue;
    end if;
    holder := find_primary(system_id, wallets[i]);
    if amounts[i] > balance_at(system_id, holder, dates[i])
      or amounts[i] > coalesce((select b.earned - b.spent from read_balance(system_id, holder) b), 0)
    then
      return i;
    end if;
    done := record_spend(
      system_id, ids[i], holder, amounts[i], reasons[i], null, null, null, null, null, nullif(wallets[i], holder), dates[i]
    );
  end loop;
  return 0;
end $$;
