-- Answers the position of the newest event of a point system; 0 without any.
create or replace function newest_event_seq(system uuid) returns bigint
language sql stable as $$
  select coalesce((
    select e.seq from point_events e where e.point_system_id = system
    order by e.point_system_id desc, e.seq desc limit 1
  ), 0)
$$;
