-- Lists the blacklisted addresses of a point system. The planner puts it into the caller's statement, so it has no settings
-- of its own.
create or replace function list_blacklisted(system uuid) returns table (address bytea)
language sql stable as $$
  select b.address from blacklist b where b.point_system_id = system
$$;
