-- Lists those of these events that were credited. It takes the ledger lock first, so that a transaction whose
-- connection was lost has either committed before, or fails on the event's primary key after its caller credits again.
create or replace function find_credited_events(system_id uuid, event_ids uuid[])
returns table (event_id uuid, api_key_id uuid, points int)
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set lock_timeout = '500ms'
as $$
declare
  is_locked boolean;
begin
  is_locked := lock_ledger(system_id);
  return query
  select e.id, e.api_key_id, e.points::int
  from unnest(event_ids) as c(id)
  cross join lateral (
    select * from point_events where point_system_id = system_id and id = c.id limit 1
  ) e;
end $$;
