-- Counts the events that the activity of a wallet lists: those of its address that are neither voided nor archived. What
-- moved to a primary wallet counts in that one's entry, but is still listed here; and a correction may stand there.
create or replace function count_listed_events(system uuid, wallet bytea) returns bigint
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan
as $$
declare
  listed bigint;
begin
  listed := coalesce((
    select w.events from wallets w where w.point_system_id = system and w.address = wallet limit 1
  ), 0) - coalesce((
    select o.events from opening_balances o where o.point_system_id = system and o.address = wallet limit 1
  ), 0);
  if not has_moves(system) then
    return listed;
  end if;
  return listed - coalesce((
    select sum(e.moved_events) from point_events e
    where e.point_system_id = system and e.address = wallet and e.moved_events < 0
  ), 0) + coalesce((
    select sum(coalesce(-e.moved_events, 1)) from point_events e
    where e.point_system_id = system and e.address = wallet and e.voids is not null and e.named_address is not null
  ), 0) - (
    select count(*) from point_events e
    where e.point_system_id = system and e.named_address = wallet and e.voids is not null and e.moved_events is null
      and e.named_address is not null
  );
end $$;
