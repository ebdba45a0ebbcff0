-- Keeps sandboxes apart, whatever the code does: what is a sandbox, or a key of sandboxes, stays so, and nothing else
-- becomes one.
create or replace function refuse_sandbox_change() returns trigger language plpgsql as $$
begin
  if new.is_sandbox is distinct from old.is_sandbox then
    raise exception 'a sandbox stays one, and nothing else becomes one' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger point_systems_stay_sandboxes
  before update of is_sandbox on point_systems
  for each row execute function refuse_sandbox_change();

create or replace trigger api_keys_stay_of_sandboxes
  before update of is_sandbox on api_keys
  for each row execute function refuse_sandbox_change();
