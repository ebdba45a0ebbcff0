-- Lists the wallets that have spent points, with those that the undoing of an import takes back. Those of a wallet that was
-- linked since are taken from the wallet that has them now. Whatever the statistics say, it reads the import, the spending
-- and the corrections of the point system once: loops would compare each with each.
create or replace function list_imported_points(system uuid, import uuid)
returns table (address bytea, points bigint)
language plpgsql stable
set enable_seqscan = off set enable_nestloop = off set enable_sort = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  has_moves boolean := has_moves(system);
begin
  return query
  select h.address, sum(h.points)::bigint
  from (
    select e.id, e.points, case when has_moves then find_event_holder(
      system, e.address, e.seq, 9223372036854775807
    ) else e.address end as address
    from point_events e
    where e.point_system_id = system and e.import_id >= import and e.import_id <= import and e.voids is null
    order by e.import_id
  ) h
  where exists (
    select from wallet_spending s where s.point_system_id = system and s.address = h.address and s.spent > 0
  ) and not exists (
    select from point_events c where c.point_system_id = system and c.voids is not null and c.voids = h.id
  )
  group by h.address;
end $$;
