-- Answers whether points of any wallet of a point system were moved to a primary one, ever.
create or replace function has_moves(system uuid) returns boolean
language sql stable as $$
  select exists (
    select from point_events e where e.point_system_id = system and e.moved_events < 0
  )
$$;
