-- Lists a page of a wallet's events as list_activity does, by counting the rows before the page. The wallet is
-- given as a range, in an order that only the right index has (docs/decisions/012).
create or replace function list_wallet_activity(
  system uuid, wallet bytea, skipped bigint, rows_max int
) returns table (
  id uuid, address bytea, points bigint, event text, created_at timestamptz, occurred_at timestamptz, metadata jsonb
)
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
begin
  return query
  select e.id, e.address, e.points, e.event, e.created_at, e.occurred_at, e.metadata
  from point_events e
  where e.point_system_id = system and e.address >= wallet and e.address <= wallet
    and e.voids is null
    and (
      select c.id from point_events c
      where c.point_system_id = system and c.voids = e.id limit 1
    ) is null
  order by e.address desc, e.created_at desc, e.id desc
  offset skipped limit rows_max;
end $$;
