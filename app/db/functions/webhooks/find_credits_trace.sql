-- Finds the trace of the request that made all credits of a run of the ledger. Null when they have several, or one has
-- none: a delivery has room for one.
create or replace function find_credits_trace(system uuid, seq_from bigint, seq_to bigint)
returns uuid
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set jit = off
as $$
begin
  if not exists (select from credit_traces where point_system_id = system) then
    return null;
  end if;
  return (
    select case
      when count(*) = count(t.trace_id) and count(distinct t.trace_id) = 1 then (array_agg(t.trace_id))[1]
    end
    from point_events e
    left join credit_traces t on t.point_system_id = system and t.event_id = e.id
    where e.point_system_id = system and e.seq between seq_from and seq_to and e.voids is null
      and e.moved_events is null
  );
end $$;
