-- Lists the events of a point system before a date that every reader of the ledger has read (list_ledger_readers), each with
-- its correction or without any. Sandboxes and moves to primary wallets have none. The planner puts it into the caller's
-- statement, so it has no settings of its own.
create or replace function list_leaving_events(system uuid, before timestamptz) returns setof point_events
language sql stable as $$
  select e.* from point_systems p
  cross join (select min(r.seq) as seq from list_ledger_readers(system) r) done
  join point_events e on e.point_system_id = p.id
  where p.id = system and p.deleted_at is null and not p.is_sandbox and e.seq <= done.seq
    and e.created_at < before and e.moved_events is null
    and coalesce(e.voids_created_at < before, not exists (
      select 1 from point_events c
      where c.point_system_id = p.id and c.voids = e.id and (c.created_at >= before or c.seq > done.seq)
    ))
$$;
