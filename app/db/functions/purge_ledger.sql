-- Removes up to `rows_max` rows behind the position `after_seq` of an append-only table, `point_events` or `spends`, of a
-- point system that is deleted or a sandbox, and of no other. It runs with the rights of the table's owner: the service's
-- role needs none to delete from a ledger. Returns the number of rows, and the last one's position when there may be more.
create or replace function purge_ledger(ledger text, system uuid, rows_max int, after_seq bigint default null)
returns table (rows int, last_seq bigint)
language plpgsql volatile security definer
set search_path = public, pg_temp
set enable_bitmapscan = off set enable_sort = off
as $$
begin
  if ledger not in ('point_events', 'spends') then
    raise exception '% is no ledger', ledger using errcode = 'restrict_violation';
  end if;
  if not exists (select from point_systems p where p.id = system and (p.deleted_at is not null or p.is_sandbox)) then
    raise exception 'the point system is neither deleted nor a sandbox' using errcode = 'restrict_violation';
  end if;
  perform set_config('ledger.removes_events', 'on', true);
  execute format(
    'with doomed as materialized (
      select ctid, seq from %1$I where point_system_id = $1 and seq > $2 order by seq limit $3
    ),
    removed as (delete from %1$I where ctid = any(array(select ctid from doomed)))
    select count(*), case when count(*) = $3 then max(seq) end from doomed', ledger
  ) using system, coalesce(after_seq, 0), rows_max into rows, last_seq;
  return next;
end $$;
