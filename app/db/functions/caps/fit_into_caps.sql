-- Answers for each call of a transaction whether it fits into its trigger's cap. Call n is (trigger_keys[n], wallets[n],
-- ...); so is element n of each answer. `credits` counts the earlier ones within the trigger limit, and `within` says
-- whether the call is. The caller holds the ledger lock.
--
-- - Calls count against each other, in their order. One without a cap fits if it is within the limit.
-- - After the first call beyond a cap, the limit counts the credited calls before it, and the cap what it left.
-- - `counts` is what the call's cap has counted before all calls: a row to be stored by record_in_caps.
create or replace function fit_into_caps(
  system_id uuid, trigger_keys text[], wallets bytea[], key_ids uuid[], points bigint[], credits int[], within boolean[],
  at timestamptz
) returns table (fits boolean[], is_beyond_limit boolean[], is_beyond_cap boolean[], counts trigger_cap_counts[])
language plpgsql stable rows 1
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
begin
  return query
  with calls as materialized (
    select c.*, t.points_min, t.cap_id, t.cap_times, t.cap_points, t.cap_window, t.cap_time_zone
    from unnest(trigger_keys, wallets, key_ids, points, credits, within) with ordinality
      as c(trigger_key, address, key_id, points, credits, is_within_limit, n)
    left join lateral (
      select * from triggers where point_system_id = system_id and key = c.trigger_key limit 1
    ) t on true
  ),
  cap_windows as materialized (
    select c.cap_id, w.starts_at, w.ends_at
    from (select distinct cap_id, cap_window, cap_time_zone from calls where cap_id is not null) c
    cross join lateral find_cap_window(c.cap_window, c.cap_time_zone, at) w
  ),
  -- Both sums only grow: from the first call beyond a cap on, none fits.
  fitting as (
    select c.*, cap.times as used_times, cap.points as used_points,
      row(system_id, c.cap_id, v.starts_at, v.ends_at, c.address, cap.times, cap.points, cap.refused_at)::trigger_cap_counts
        as counted,
      c.is_within_limit
        and (c.cap_times is null or cap.times + count(*) filter (where c.is_within_limit) over calls <= c.cap_times)
        and (c.cap_points is null or cap.points + sum(c.points) filter (where c.is_within_limit) over calls <= c.cap_points)
      as fits
    from calls c
    join cap_windows v on v.cap_id = c.cap_id
    left join lateral (
      select created_at, last_credit_at from wallets where point_system_id = system_id and address = c.address limit 1
    ) w on true
    cross join lateral count_in_cap(
      system_id, c.trigger_key, c.cap_id, v.starts_at, v.ends_at, c.address, w.created_at, w.last_credit_at, at
    ) cap
    window calls as (partition by c.address, c.trigger_key order by c.n)
  ),
  judged as (
    select f.n, f.fits, f.counted,
      f.credits + count(*) filter (where f.fits) over (
        partition by f.address, f.trigger_key, f.key_id order by f.n
      ) >= 10 as is_beyond_limit,
      f.points_min is null
        or count(*) filter (where f.is_within_limit and not f.fits) over w = 1 and f.is_within_limit
        or f.used_times + count(*) filter (where f.fits) over w >= f.cap_times
        or f.used_points + coalesce(sum(f.points) filter (where f.fits) over w, 0) + f.points_min > f.cap_points
      as is_beyond_cap
    from fitting f
    window w as (partition by f.address, f.trigger_key order by f.n)
    union all
    select n, is_within_limit, null, true, true from calls where cap_id is null
  )
  select array_agg(j.fits order by j.n), array_agg(j.is_beyond_limit order by j.n),
    array_agg(j.is_beyond_cap order by j.n), array_agg(j.counted order by j.n)
  from judged j;
end $$;
