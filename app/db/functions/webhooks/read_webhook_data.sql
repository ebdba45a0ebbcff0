-- Builds the data of a delivery of credits or voids from the ledger, which never changes: it is the same for each
-- attempt. The events are in the order of the ledger.
create or replace function read_webhook_data(system uuid, delivery_type text, seq_from bigint, seq_to bigint)
returns jsonb
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set jit = off
as $$
begin
  if delivery_type = 'points.credited' then
    return jsonb_build_object('credits', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', e.id,
        'address', '0x' || encode(e.address, 'hex'),
        'points', e.points,
        'balance', e.balance,
        'event', e.event,
        'date', to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'occurredAt', to_char(e.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'metadata', e.metadata,
        'importId', e.import_id
      ) order by e.seq), '[]')
      from point_events e
      where e.point_system_id = system and e.seq between seq_from and seq_to and e.voids is null
        and e.moved_events is null
    ));
  end if;
  return jsonb_build_object('voids', (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', e.id,
      'creditId', e.voids,
      'address', '0x' || encode(e.address, 'hex'),
      'points', -e.points,
      'balance', e.balance,
      'date', to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'importId', e.import_id
    ) order by e.seq), '[]')
    from point_events e
    where e.point_system_id = system and e.seq between seq_from and seq_to and e.voids is not null
      and e.moved_events is null
  ));
end $$;
