-- Finds the last week with archived events, for a wallet that has some; no row for others. Nobody knows in which of the
-- weeks up to there they lie. The planner puts it into the caller's statement, so it has no settings of its own.
create or replace function find_archived_week(system uuid, wallet bytea) returns table (week date)
language sql stable rows 1 as $$
  select date_trunc('week', (t.archived_before - interval '1 ms') at time zone 'UTC')::date
  from opening_balances o join point_system_totals t on t.point_system_id = o.point_system_id
  where o.point_system_id = system and o.address = wallet
$$;
