-- Lists the ids of all point systems.
create or replace function list_point_system_ids() returns table (id uuid)
language plpgsql stable as $$
begin
  return query select p.id from point_systems p;
end $$;
