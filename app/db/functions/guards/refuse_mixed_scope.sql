-- Keeps the scopes of API keys apart, whatever the code does: a key of sandboxes reaches only these, and another key none.
create or replace function refuse_mixed_scope() returns trigger language plpgsql as $$
begin
  if (select k.is_sandbox from api_keys k where k.id = new.api_key_id)
    is distinct from (select p.is_sandbox from point_systems p where p.id = new.point_system_id)
  then
    raise exception 'a key reaches sandboxes alone, or none' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger api_key_point_systems_of_one_kind
  before insert or update on api_key_point_systems
  for each row execute function refuse_mixed_scope();
