-- Gives a spend back, once, to the wallet that bears it now: its own, or the one to which its wallet's sum was moved
-- since. A repeated call answers the first reversal with `is_new` false. No row for what is not a spend. The caller
-- holds the ledger lock.
create or replace function reverse_spend(
  system_id uuid, spend_id uuid, reversal_id uuid, words text, key_id uuid, operator uuid,
  at timestamptz default null
) returns table (is_new boolean, address bytea, points bigint, balance bigint)
language plpgsql volatile
set enable_seqscan = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  spend spends;
  bearer bytea;
  next_bearer bytea;
  place bigint;
begin
  select * into spend from spends s
  where s.point_system_id = system_id and s.id = spend_id and s.reverses is null and s.moved_with is null;
  if not found then
    return;
  end if;
  return query
    select false, r.address, -r.points, r.balance from spends r
    where r.point_system_id = system_id and r.reverses = spend_id;
  if found then
    return;
  end if;
  bearer := spend.address;
  place := spend.seq;
  loop
    select m.moved_with, m.seq into next_bearer, place from spends m
    where m.point_system_id = system_id and m.address = bearer and m.seq > place
      and m.moved_with is not null and m.points < 0
    order by m.seq limit 1;
    exit when not found;
    bearer := next_bearer;
  end loop;
  return query select true, bearer, spend.points, record_spend(
    system_id, reversal_id, bearer, -spend.points, words, key_id, operator, spend_id, null, null,
    null, at
  );
end $$;
