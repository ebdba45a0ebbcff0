-- Removes up to `rows_max` rows of an append-only table, `point_events` or `spends`, of a point system that is deleted or a
-- sandbox, and of no other. It runs with the rights of the table's owner: the service's role needs none to delete from a
-- ledger. Returns the number of rows.
create or replace function purge_ledger(ledger text, system uuid, rows_max int) returns int
language plpgsql volatile security definer
set search_path = public, pg_temp
as $$
declare
  removed int;
begin
  if ledger not in ('point_events', 'spends') then
    raise exception '% is no ledger', ledger using errcode = 'restrict_violation';
  end if;
  if not exists (select from point_systems p where p.id = system and (p.deleted_at is not null or p.is_sandbox)) then
    raise exception 'the point system is neither deleted nor a sandbox' using errcode = 'restrict_violation';
  end if;
  perform set_config('ledger.removes_events', 'on', true);
  execute format(
    'delete from %1$I where point_system_id = $1 and ctid = any(array(
      select ctid from %1$I where point_system_id = $1 limit $2
    ))', ledger
  ) using system, rows_max;
  get diagnostics removed = row_count;
  return removed;
end $$;
