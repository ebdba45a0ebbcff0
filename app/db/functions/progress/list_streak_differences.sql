-- Lists the days of a streak that are not what the counted events add up to, at one moment: what is stored, and what the
-- events give. Null stands for no day. The rules are those of fold_streak.
create or replace function list_streak_differences(system uuid, streak uuid)
returns table (address bytea, day date, stored int, recomputed int)
language sql stable as $$
  select address, day, d.events, t.events::int
  from (
    select e.address, (coalesce(e.occurred_at, e.created_at) at time zone s.time_zone)::date as day, count(*) as events
    from streaks s
    join point_events e on e.point_system_id = s.point_system_id and e.seq <= s.counted_seq and e.voids is null
      and e.event is not null and e.import_id is null
      and (s.trigger_keys is null or e.event = any(s.trigger_keys))
    where s.point_system_id = system and s.id = streak
      and not exists (
        select from point_events v where v.point_system_id = system and v.voids = e.id and v.seq <= s.counted_seq
      )
      and not exists (select from streak_bonuses b where b.point_system_id = system and b.event_id = e.id)
    group by 1, 2
  ) t
  full join (select * from streak_days where point_system_id = system and streak_id = streak) d using (address, day)
  where d.events is distinct from t.events
$$;
