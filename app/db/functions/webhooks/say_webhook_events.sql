-- Says events to the webhooks of a point system that listen for their type: each of `batches` is the data of one
-- delivery. It is delivered exactly if the caller's transaction is committed. The deliveries go on with `trace`, that of
-- the request which causes the events.
create or replace function say_webhook_events(system uuid, event_type text, batches jsonb[], trace uuid default null)
returns void
language sql as $$
  insert into webhook_deliveries (point_system_id, endpoint_id, type, data, trace_id)
  select e.point_system_id, e.id, event_type, d.data, trace
  from webhook_endpoints e
  cross join unnest(batches) with ordinality as d(data, n)
  where e.point_system_id = system and event_type = any(e.event_types)
  order by d.n
$$;
