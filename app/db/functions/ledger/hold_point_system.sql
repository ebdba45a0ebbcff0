-- Keeps a point system from being deleted until the transaction ends. Answers false when it is deleted.
create or replace function hold_point_system(system uuid) returns boolean
language plpgsql volatile as $$
begin
  perform from point_systems p where p.id = system and p.deleted_at is null for share;
  return found;
end $$;
