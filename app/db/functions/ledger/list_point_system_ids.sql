-- Lists the ids of all point systems. The planner puts it into the caller's statement, so it has no settings of its own.
create or replace function list_point_system_ids() returns table (id uuid)
language sql stable as $$
  select p.id from point_systems p
$$;
