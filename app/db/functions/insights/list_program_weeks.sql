-- Lists the figures of the last weeks, the oldest first; weeks are in UTC. The planner puts it into the caller's statement,
-- so it has no settings of its own.
create or replace function list_program_weeks(system uuid, weeks int)
returns table (
  week date, new_wallets bigint, wallets bigint, points numeric, spent_points numeric, boost_points numeric,
  capped_calls numeric
)
language sql stable as $$
  with range as materialized (
    select date_trunc('week', clock_timestamp() at time zone 'UTC')::date - 7 * (weeks - 1) as first_week
  )
  select n.week, w.new_wallets, w.wallets, d.points, d.spent_points, d.boost_points, d.capped_calls
  from range r
  cross join lateral (
    select r.first_week + 7 * i as week from generate_series(0, weeks - 1) as i
  ) n
  left join lateral (
    select t.wallets, t.new_wallets from weekly_wallets t
    where t.point_system_id = system and t.week = n.week limit 1
  ) w on true
  left join lateral (
    select sum(t.points) as points, sum(t.spent_points) as spent_points, sum(t.boost_points) as boost_points,
      sum(t.capped_calls) as capped_calls
    from daily_totals t
    where t.point_system_id = system and t.day >= n.week and t.day < n.week + 7
  ) d on true
  order by n.week
$$;
