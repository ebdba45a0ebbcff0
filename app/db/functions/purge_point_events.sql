-- Removes up to `rows_max` events of a point system that is deleted or a sandbox, and of no other. It runs with the rights of the
-- table's owner: the service's role needs none to delete from the ledger. Returns the number of events.
create or replace function purge_point_events(system uuid, rows_max int) returns int
language plpgsql volatile security definer
set search_path = public, pg_temp
as $$
declare
  removed int;
begin
  if not exists (select from point_systems p where p.id = system and (p.deleted_at is not null or p.is_sandbox)) then
    raise exception 'the point system is neither deleted nor a sandbox' using errcode = 'restrict_violation';
  end if;
  perform set_config('ledger.removes_events', 'on', true);
  delete from point_events where point_system_id = system and ctid = any(array(
    select ctid from point_events where point_system_id = system limit rows_max
  ));
  get diagnostics removed = row_count;
  return removed;
end $$;
