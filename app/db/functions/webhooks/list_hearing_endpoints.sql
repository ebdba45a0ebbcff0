-- Lists the webhooks of a point system that listen for a type of events. The planner puts it into the caller's statement, so
-- it has no settings of its own.
create or replace function list_hearing_endpoints(system uuid, event_type text) returns table (id uuid)
language sql stable as $$
  select e.id from webhook_endpoints e where e.point_system_id = system and event_type = any(e.event_types)
$$;
