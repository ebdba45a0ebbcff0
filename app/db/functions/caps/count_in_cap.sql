-- Counts a wallet's credits by a capped trigger within the cap's window at a time: in one row, stored or made from the
-- ledger's events. The caller holds the ledger lock, so nothing is credited meanwhile.
--
-- Credits through the API count, voided ones too. Test fires, grants and imports do not.
create or replace function count_in_cap(
  system_id uuid, trigger_key text, cap_id uuid, cap_window text, time_zone text, wallet bytea,
  wallet_since timestamptz, last_credit_at timestamptz, at timestamptz
) returns table (starts_at timestamptz, ends_at timestamptz, times bigint, points bigint, refused_at timestamptz)
language plpgsql stable rows 1
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  low timestamptz := '-infinity';
  high timestamptz := 'infinity';
  stored record;
begin
  if cap_window <> 'ever' then
    select w.starts_at, w.ends_at into low, high from find_window(cap_window, time_zone, at) w;
  end if;
  select u.* into stored from trigger_cap_counts u
  where u.point_system_id = system_id and u.cap_id = count_in_cap.cap_id and u.starts_at = low
    and u.address = wallet;
  if found then
    return query select low, high, stored.times, stored.points, stored.refused_at;
  elsif last_credit_at >= low then
    return query
    select low, high, count(e.points), coalesce(sum(e.points), 0)::bigint, null::timestamptz
    -- The stretches of wallet_time_key.
    from generate_series(
      floor(extract(epoch from greatest(low, wallet_since)))::bigint >> 21,
      floor(extract(epoch from greatest(at, last_credit_at)))::bigint >> 21
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
  else
    return query select low, high, 0::bigint, 0::bigint, null::timestamptz;
  end if;
end $$;
