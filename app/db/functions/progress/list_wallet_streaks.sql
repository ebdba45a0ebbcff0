-- Lists the streaks of a point system with a wallet's days in a row at a time: the current ones, which end today or
-- yesterday in the streak's time zone, the longest ones, and the last day that counts. Days after that time,
-- which a fixture file can date ahead, do not count yet.
create or replace function list_wallet_streaks(system uuid, wallet bytea, at timestamptz)
returns table (key text, name text, current_days int, longest_days int, last_day text)
language sql stable as $$
  select s.key, s.name,
    coalesce(max(r.days) filter (where r.last_day >= (at at time zone s.time_zone)::date - 1), 0),
    coalesce(max(r.days), 0), max(r.last_day)::text
  from streaks s
  left join lateral (
    select count(*)::int as days, max(d.day) as last_day
    from (
      select d.day, d.day - row_number() over (order by d.day)::int as run from streak_days d
      where d.point_system_id = system and d.streak_id = s.id and d.address = wallet
        and d.day <= (at at time zone s.time_zone)::date
    ) d
    group by d.run
  ) r on true
  where s.point_system_id = system
  group by s.id, s.key, s.name, s.time_zone, s.created_at
  order by s.created_at, s.key
$$;
