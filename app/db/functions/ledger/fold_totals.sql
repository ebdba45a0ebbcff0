-- Counts the next credits through the API into the totals: of the next events, at most `events_max`. Answers how many events
-- it passed, or events_max when there may be more. If another session is changing the row, the call answers 0 at once.
create or replace function fold_totals(system uuid, events_max int) returns int
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set plan_cache_mode = force_generic_plan
as $$
declare
  counted_to bigint;
  passed int;
begin
  select t.counted_seq into counted_to from point_system_totals t where t.point_system_id = system for update skip locked;
  if counted_to is null then
    return 0;
  end if;
  with tail as (
    select count(*) as events, max(e.seq) as seq, count(*) filter (where e.api_key_id is not null) as credits,
      count(*) filter (where e.api_key_id is not null and e.opens_wallet) as new_wallets
    from (
      select seq, api_key_id, opens_wallet from point_events
      where point_system_id = system and seq > counted_to order by seq limit events_max
    ) e
  )
  update point_system_totals t
  set wallets = t.wallets + c.new_wallets, events = t.events + c.credits, counted_seq = c.seq
  from tail c
  where t.point_system_id = system and c.events > 0
  returning c.events into passed;
  return coalesce(passed, 0);
end $$;
