-- Lists the next changes of the activity after a position, or all when entries_max is null: an event adds
-- itself, and a correction takes out the event that it voids.
create or replace function list_activity_changes(system uuid, counted_to bigint, entries_max bigint)
returns table (seq bigint, created_at timestamptz, id uuid, change int)
language sql stable as $$
  select e.seq, coalesce(e.voids_created_at, e.created_at), coalesce(e.voids, e.id),
    case when e.voids is null then 1 else -1 end
  from point_events e
  where e.point_system_id = system and e.seq > counted_to
  order by e.point_system_id, e.seq limit entries_max
$$;
