-- Lists the addresses that get nothing of a point system: those that are blacklisted, and those that are linked to one
-- which is. The planner puts it into the caller's statement, so it has no settings of its own.
create or replace function list_blacklisted(system uuid) returns table (address bytea)
language sql stable as $$
  select b.address from blacklist b where b.point_system_id = system
  union
  select l.address from wallet_links l join blacklist b on b.point_system_id = system and b.address = l.primary_address
  where l.point_system_id = system
$$;
