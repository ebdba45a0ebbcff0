-- Lists the events of a point system before a date that every reader of the ledger has read (list_ledger_readers), each with
-- its correction or without any. Sandboxes and moves to primary wallets have none. A day (UTC) of which statistics have not
-- counted an event stays, and so do those after it: a wallet of that day would count as active once more. The planner puts
-- it into the caller's statement, so it has no settings of its own.
create or replace function list_leaving_events(system uuid, before timestamptz) returns setof point_events
language sql stable as $$
  select e.* from point_systems p
  cross join (select min(r.seq) as seq from list_ledger_readers(system) r) done
  cross join lateral (
    select least(before, min(date_trunc('day', w.created_at, 'UTC'))) as at
    from statistics_cursors s join point_events w on w.point_system_id = s.point_system_id and w.seq > s.seq
    where s.point_system_id = system and w.created_at < before
  ) until
  join point_events e on e.point_system_id = p.id
  where p.id = system and p.deleted_at is null and not p.is_sandbox and e.seq <= done.seq
    and e.created_at < until.at and e.moved_events is null
    and coalesce(e.voids_created_at < until.at, not exists (
      select 1 from point_events c
      where c.point_system_id = p.id and c.voids = e.id and (c.created_at >= until.at or c.seq > done.seq)
    ))
$$;
