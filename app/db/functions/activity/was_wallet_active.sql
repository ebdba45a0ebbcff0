-- Answers whether a wallet has an event of this day (UTC) before a position of the ledger. The day may lie in two
-- stretches of time (wallet_time_key).
create or replace function was_wallet_active(system uuid, wallet bytea, day date, before_seq bigint) returns boolean
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
  starts_at timestamptz := day::timestamp at time zone 'UTC';
  ends_at timestamptz := (day + 1)::timestamp at time zone 'UTC';
  first_key bigint := wallet_time_key(system, wallet, starts_at);
  last_key bigint := wallet_time_key(system, wallet, ends_at - interval '1 ms');
begin
  return exists (
    select from unnest(case when first_key = last_key then array[first_key] else array[first_key, last_key] end) as k(key)
    cross join lateral (
      select from point_events e
      where wallet_time_key(e.point_system_id, e.address, e.created_at) >= k.key
        and wallet_time_key(e.point_system_id, e.address, e.created_at) <= k.key
        and e.created_at >= starts_at and e.created_at < ends_at
        and e.point_system_id = system and e.address = wallet and e.voids is null and e.moved_events is null
        and e.seq + 0 < before_seq
      order by wallet_time_key(e.point_system_id, e.address, e.created_at), e.created_at limit 1
    ) e
  );
end $$;
