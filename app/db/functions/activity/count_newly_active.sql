-- Counts, for each day (UTC), the wallets that have no event of that day before a position of the ledger: wallet n, its
-- day and its position are addresses[n], days[n] and before_seqs[n]. The day may lie in two stretches of time
-- (wallet_time_key). All wallets of a fold are asked at once: a call for each would cost more than its look-up.
create or replace function count_newly_active(system uuid, addresses bytea[], days date[], before_seqs bigint[])
returns table (day date, wallets bigint)
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
begin
  return query
  select w.day, count(*)
  from unnest(addresses, days, before_seqs) as w(address, day, before_seq)
  cross join lateral (
    select w.day::timestamp at time zone 'UTC' as starts_at, (w.day + 1)::timestamp at time zone 'UTC' as ends_at
  ) d
  cross join lateral (
    select wallet_time_key(system, w.address, d.starts_at) as first_key,
      wallet_time_key(system, w.address, d.ends_at - interval '1 ms') as last_key
  ) k
  where not exists (
    select from unnest(
      case when k.first_key = k.last_key then array[k.first_key] else array[k.first_key, k.last_key] end
    ) as s(key)
    cross join lateral (
      select from point_events e
      where wallet_time_key(e.point_system_id, e.address, e.created_at) >= s.key
        and wallet_time_key(e.point_system_id, e.address, e.created_at) <= s.key
        and e.created_at >= d.starts_at and e.created_at < d.ends_at
        and e.point_system_id = system and e.address = w.address and e.voids is null and e.moved_events is null
        and e.seq + 0 < w.before_seq
      order by wallet_time_key(e.point_system_id, e.address, e.created_at), e.created_at limit 1
    ) e
  )
  group by w.day;
end $$;
