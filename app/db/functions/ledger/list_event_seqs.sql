-- Lists the positions of a point system's events up to one. The planner puts it into the caller's statement, so it has no
-- settings of its own.
create or replace function list_event_seqs(system uuid, last_seq bigint) returns table (seq bigint)
language sql stable as $$
  select e.seq from point_events e where e.point_system_id = system and e.seq <= last_seq
$$;
