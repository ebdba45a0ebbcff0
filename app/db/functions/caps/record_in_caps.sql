-- Counts the credits of a transaction in their triggers' caps, and says a cap's first refusal of a wallet in a window to the
-- webhooks. `counts[n]` is what call n's cap had counted before; element i of `verdicts` is call calls[i]'s.
create or replace function record_in_caps(
  system_id uuid, trigger_keys text[], calls int[], verdicts text[], points_added bigint[], counts trigger_cap_counts[],
  at timestamptz
) returns void
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
begin
  with counted as materialized (
    select c.cap_id, c.starts_at, c.ends_at, c.address, c.trigger_key,
      c.times + count(*) filter (where c.is_credited) as times,
      c.points + coalesce(sum(c.points_added) filter (where c.is_credited), 0) as points,
      bool_or(not c.is_credited) as is_first_refusal
    from (
      select (counts[v.n]).*, trigger_keys[v.n] as trigger_key, v.verdict = 'credited' as is_credited, v.verdict, v.points_added
      from unnest(calls, verdicts, points_added) as v(n, verdict, points_added)
      where v.verdict in ('credited', 'trigger_cap_reached')
    ) c
    where c.cap_id is not null and (c.is_credited or c.refused_at is null)
    group by c.cap_id, c.starts_at, c.ends_at, c.address, c.trigger_key, c.times, c.points
  ),
  recorded as (
    insert into trigger_cap_counts as u (point_system_id, cap_id, starts_at, ends_at, address, times, points, refused_at)
    select system_id, cap_id, starts_at, ends_at, address, times, points, case when is_first_refusal then at end
    from counted
    on conflict (point_system_id, cap_id, starts_at, address) do update
      set times = excluded.times, points = excluded.points, refused_at = coalesce(u.refused_at, excluded.refused_at)
  )
  insert into webhook_deliveries (point_system_id, endpoint_id, type, data)
  select system_id, e.id, 'trigger.cap_reached',
    describe_cap_refusal(c.trigger_key, c.address, c.times, c.points, c.ends_at)
  from counted c
  join webhook_endpoints e on e.point_system_id = system_id and 'trigger.cap_reached' = any(e.event_types)
  where c.is_first_refusal;
end $$;
