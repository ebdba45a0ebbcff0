-- Counts a wallet's credits by a trigger from `low` until before `high` in the ledger's events, and their points. Its last
-- credit is at `last_at` or before.
--
-- Credits through the API count, voided ones too. Test fires, grants and imports do not.
create or replace function sum_cap_events(
  system_id uuid, trigger_key text, low timestamptz, high timestamptz, wallet bytea, wallet_since timestamptz,
  last_at timestamptz
) returns table (times bigint, points bigint)
language plpgsql stable rows 1
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
begin
  return query
  select count(e.points), coalesce(sum(e.points), 0)::bigint
  -- The stretches of wallet_time_key.
  from generate_series(
    floor(extract(epoch from greatest(low, wallet_since)))::bigint >> 21, floor(extract(epoch from last_at))::bigint >> 21
  ) as s(stretch)
  cross join lateral (select wallet_time_key(system_id, wallet, to_timestamp(s.stretch << 21)) as key) k
  cross join lateral (
    select e.points from point_events e
    where wallet_time_key(e.point_system_id, e.address, e.created_at) >= k.key
      and wallet_time_key(e.point_system_id, e.address, e.created_at) <= k.key
      and e.created_at >= low and e.created_at < high
      and e.point_system_id = system_id and e.address = wallet
      and e.voids is null and e.event = trigger_key and e.api_key_id is not null
    order by wallet_time_key(e.point_system_id, e.address, e.created_at), e.created_at
    limit 9223372036854775807
  ) e;
end $$;
