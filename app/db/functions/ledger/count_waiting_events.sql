-- Counts the events of a point system before a date that stay in the ledger until every reader has read them
-- (list_ledger_readers), with the readers that have not. No row without such events.
create or replace function count_waiting_events(system uuid, before timestamptz)
returns table (events bigint, readers text[])
language sql stable as $$
  select w.events, array(select r.reader from list_ledger_readers(system) r where r.seq < w.seq)
  from (
    select count(*) as events, max(e.seq) as seq
    from point_systems p join point_events e on e.point_system_id = p.id
    where p.id = system and p.deleted_at is null and not p.is_sandbox and e.created_at < before
      and e.moved_events is null and e.seq > (select min(r.seq) from list_ledger_readers(system) r)
  ) w
  where w.events > 0
$$;
