-- Judges the calls of a transaction one after the other: each by what those before it have credited, as if it came alone.
-- Call n is (refusals[n], trigger_keys[n], ...), and element n of each answer is its own. A call with a refusal keeps it.
-- The checks are the trigger limit, the trigger's cap and the points maximum, in this order. The caller holds the ledger
-- lock, and calls this where a cap or the maximum may refuse a call and let a later one pass.
--
-- - `credits` has the number of earlier credits that count against the trigger limit, `balances` the wallet's points.
-- - `places` says how many credits count against the trigger limit after the call, and `counts` what its cap had counted
--   before all calls: a row to be stored by record_in_caps.
create or replace function judge_in_order(
  system_id uuid, refusals text[], trigger_keys text[], wallets bytea[], key_ids uuid[], points bigint[], balances bigint[],
  credits int[], points_max bigint, at timestamptz
) returns table (verdicts text[], places int[], counts trigger_cap_counts[])
language plpgsql stable rows 1
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  asked record;
  -- What was credited so far, at the place of the first call of its wallet, of its wallet and trigger, and of its wallet,
  -- trigger and key.
  gained bigint[] := array_fill(0, array[cardinality(refusals)]);
  capped_points bigint[] := gained;
  capped_times int[] := gained;
  limited int[] := gained;
begin
  verdicts := refusals;
  places := credits;
  counts := array_fill(null::trigger_cap_counts, array[cardinality(refusals)]);
  for asked in
    with calls as materialized (
      select c.*, t.cap_id, t.cap_times, t.cap_points, t.cap_window, t.cap_time_zone,
        min(c.n) over (partition by c.address) as of_wallet,
        min(c.n) over (partition by c.address, c.trigger_key) as of_trigger,
        min(c.n) over (partition by c.address, c.trigger_key, c.key_id) as of_key
      from unnest(trigger_keys, wallets, key_ids, refusals) with ordinality
        as c(trigger_key, address, key_id, refusal, n)
      left join lateral (
        select * from triggers where point_system_id = system_id and key = c.trigger_key limit 1
      ) t on true
      where c.refusal is null
    ),
    cap_windows as materialized (
      select c.cap_id, w.starts_at, w.ends_at
      from (select distinct cap_id, cap_window, cap_time_zone from calls where cap_id is not null) c
      cross join lateral find_cap_window(c.cap_window, c.cap_time_zone, at) w
    )
    select c.*, cap.times, cap.points as cap_counted,
      case when c.cap_id is not null then
        row(system_id, c.cap_id, v.starts_at, v.ends_at, c.address, cap.times, cap.points, cap.refused_at)::trigger_cap_counts
      end as counted
    from calls c
    left join cap_windows v on v.cap_id = c.cap_id
    left join lateral (
      select created_at, last_credit_at from wallets where point_system_id = system_id and address = c.address limit 1
    ) w on c.cap_id is not null
    left join lateral count_in_cap(
      system_id, c.trigger_key, c.cap_id, v.starts_at, v.ends_at, c.address, w.created_at, w.last_credit_at, at
    ) cap on c.cap_id is not null
    order by c.n
  loop
    counts[asked.n] := asked.counted;
    if credits[asked.n] + limited[asked.of_key] >= 10 then
      verdicts[asked.n] := 'rate_limit_exceeded';
    elsif asked.times + capped_times[asked.of_trigger] >= asked.cap_times
      or asked.cap_counted + capped_points[asked.of_trigger] + points[asked.n] > asked.cap_points
    then
      verdicts[asked.n] := 'trigger_cap_reached';
    elsif balances[asked.n] + gained[asked.of_wallet] + points[asked.n] > points_max then
      verdicts[asked.n] := 'points_limit_reached';
    else
      verdicts[asked.n] := 'credited';
      gained[asked.of_wallet] := gained[asked.of_wallet] + points[asked.n];
      capped_points[asked.of_trigger] := capped_points[asked.of_trigger] + points[asked.n];
      capped_times[asked.of_trigger] := capped_times[asked.of_trigger] + 1;
      limited[asked.of_key] := limited[asked.of_key] + 1;
    end if;
    places[asked.n] := credits[asked.n] + limited[asked.of_key];
  end loop;
  return next;
end $$;
