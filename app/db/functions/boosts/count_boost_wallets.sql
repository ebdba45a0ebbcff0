-- Counts the wallets of a boost that is for listed ones. The planner puts it into the caller's statement, so it has no
-- settings of its own.
create or replace function count_boost_wallets(system uuid, boost uuid) returns table (wallets int)
language sql stable as $$
  select count(*)::int from boost_wallets w where w.point_system_id = system and w.boost_id = boost
$$;
