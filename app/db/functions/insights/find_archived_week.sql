-- Finds the last week with archived events, for a wallet that has some; null for others. Nobody knows in which of the weeks
-- up to there they lie.
create or replace function find_archived_week(system uuid, wallet bytea) returns date
language sql stable as $$
  select date_trunc('week', (t.archived_before - interval '1 ms') at time zone 'UTC')::date
  from opening_balances o join point_system_totals t on t.point_system_id = o.point_system_id
  where o.point_system_id = system and o.address = wallet
$$;
