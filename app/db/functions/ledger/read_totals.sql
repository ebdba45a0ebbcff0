-- Reads the counts of a point system. The planner puts it into the caller's statement, so it has no settings of its own.
create or replace function read_totals(system uuid)
returns table (wallets bigint, blacklisted_wallets bigint, events bigint)
language sql stable as $$
  select t.wallets, t.blacklisted_wallets, t.events from point_system_totals t where t.point_system_id = system
$$;
