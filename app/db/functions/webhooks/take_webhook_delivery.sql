-- Takes an endpoint's next delivery, for the holder of its lease. Deliveries and the ledger share one order of
-- positions: what waits at a lower position is sent first. Events of the ledger beyond the endpoint's cursor become a
-- delivery here, which is stored with the moved cursor before it is sent. So a delivery that is repeated has the same id
-- and the same events, whatever ended in between.
-- A writer of the ledger holds its lock until its commit is visible, and says its other events under the lock too. One
-- statement reads both, so that it sees an event of the ledger only with everything before it.
-- Returns no row when the lease is lost, the endpoint is off or nothing waits, and a row of nulls after many events for
-- which the endpoint does not listen: then more may wait behind them.
create or replace function take_webhook_delivery(system uuid, endpoint uuid, the_lease uuid, lease_s int)
returns table (
  seq bigint, id uuid, type text, happened_at timestamptz, data jsonb, trace_id uuid, has_more boolean
)
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  subjects_max constant int := 100;
  -- Runs of events that are passed over in one call.
  passed_max constant int := 50;
  no_seq constant bigint := 9223372036854775807;
  types text[];
  follows boolean;
  cursor_seq bigint;
  run record;
  delivery webhook_deliveries;
begin
  update webhook_endpoints e set leased_until = now() + make_interval(secs => lease_s)
  where e.point_system_id = system and e.id = endpoint and e.lease = the_lease and e.off_at is null
  returning e.event_types, e.ledger_seq into types, cursor_seq;
  if not found then
    return;
  end if;
  follows := types && array['points.credited', 'points.voided'];

  for passed in 0 .. passed_max loop
    -- The first events of one kind, before the next delivery that waits.
    with waits as materialized (
      select d.seq from webhook_deliveries d
      where d.point_system_id = system and d.endpoint_id = endpoint and d.state = 'waiting'
      order by d.point_system_id, d.endpoint_id, d.seq limit 1
    ),
    tail as materialized (
      select e.seq, e.voids is null as is_credit, e.created_at from point_events e
      where follows and e.point_system_id = system and e.seq > cursor_seq and e.moved_events is null
        and e.seq < coalesce((select w.seq from waits w), no_seq)
      order by e.point_system_id, e.seq limit subjects_max + 1
    ),
    head as materialized (select t.seq, t.is_credit, t.created_at from tail t order by t.seq limit 1),
    chosen as materialized (
      select t.seq from tail t, head h
      where t.seq < coalesce(
        (select min(o.seq) from tail o where o.is_credit <> h.is_credit), no_seq
      )
      order by t.seq limit subjects_max
    )
    select (select w.seq from waits w) as waits_seq, h.seq as seq_from, h.created_at,
      case when h.is_credit then 'points.credited' else 'points.voided' end as type,
      (select max(c.seq) from chosen c) as seq_to,
      (select count(*) from tail) > (select count(*) from chosen) as has_more
    into run from (select 1) as one left join head h on true;

    if run.seq_from is null then
      return query
      select d.seq, d.id, d.type, d.happened_at,
        coalesce(d.data, read_webhook_data(system, d.type, d.seq, d.seq_to)), d.trace_id, true
      from webhook_deliveries d
      where d.point_system_id = system and d.endpoint_id = endpoint and d.seq = run.waits_seq;
      return;
    end if;

    cursor_seq := run.seq_to;
    update webhook_endpoints e set ledger_seq = cursor_seq
    where e.point_system_id = system and e.id = endpoint;
    if run.type = any(types) then
      insert into webhook_deliveries (point_system_id, endpoint_id, seq, type, happened_at, seq_to, trace_id)
      values (
        system, endpoint, run.seq_from, run.type, run.created_at, run.seq_to,
        case when run.type = 'points.credited' then take_credits_trace(system, endpoint, run.seq_from, run.seq_to) end
      )
      returning * into delivery;
      return query
      select delivery.seq, delivery.id, delivery.type, delivery.happened_at,
        read_webhook_data(system, delivery.type, delivery.seq, delivery.seq_to), delivery.trace_id,
        run.has_more or run.waits_seq is not null;
      return;
    end if;
  end loop;
  return query
  select null::bigint, null::uuid, null::text, null::timestamptz, null::jsonb, null::uuid, true;
end $$;
