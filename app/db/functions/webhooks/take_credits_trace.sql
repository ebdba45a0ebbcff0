-- Takes the trace of the request that made all credits of a run of the ledger, for an endpoint's delivery of them. Null
-- when they have several, or one has none: a delivery has room for one. Traces for which no other endpoint waits are
-- removed; two endpoints that take at once may leave them, until they are old.
create or replace function take_credits_trace(system uuid, endpoint uuid, seq_from bigint, seq_to bigint)
returns uuid
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
  found_trace uuid;
begin
  if not exists (select from credit_traces where point_system_id = system) then
    return null;
  end if;
  select case
    when count(*) = count(t.trace_id) and count(distinct t.trace_id) = 1 then (array_agg(t.trace_id))[1]
  end
  into found_trace
  from point_events e
  left join credit_traces t on t.point_system_id = system and t.event_id = e.id
  where e.point_system_id = system and e.seq between seq_from and seq_to and e.voids is null
    and e.moved_events is null;
  if not exists (
    select from webhook_endpoints o
    where o.point_system_id = system and o.id <> endpoint and o.off_at is null and o.ledger_seq < seq_to
      and 'points.credited' = any(o.event_types)
  ) then
    delete from credit_traces
    where point_system_id = system and event_id = any(array(
      select e.id from point_events e
      where e.point_system_id = system and e.seq between seq_from and seq_to
    ));
  end if;
  return found_trace;
end $$;
