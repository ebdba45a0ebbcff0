-- Counts the next events of the ledger into the days of a streak: all of them or none, at most entries_max. Answers how
-- many events were passed; 0 also when another session is counting.
--
-- A credit counts if its trigger key is one of the streak's, unless it was imported or pays a bonus of any streak. Its day
-- is that of `occurred_at`, else of the ledger's time, in the streak's time zone. A correction takes its event out of the
-- day, and a day without events is no day any more.
--
-- A bonus is reached by a credit that makes a new day, when the run of days then has the bonus' length and neither part
-- of it had so before, and no bonus of this length was reached on a day of the run. Each event is judged in its
-- place, so the bonuses do not depend on how many events are counted at once.
create or replace function fold_streak(system uuid, streak uuid, entries_max int) returns int
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_bitmapscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_variable
declare
  rules record;
  folded int;
  reached_seq bigint;
  step record;
  days_before int;
  days_after int;
begin
  select s.trigger_keys, s.time_zone, s.bonuses, s.counted_seq, s.pays_after_seq,
    coalesce((select max((b->>'days')::int) from jsonb_array_elements(s.bonuses) b), 0) as days_max
  into rules
  from streaks s join point_systems p on p.id = s.point_system_id and p.deleted_at is null and p.clearing_since is null
  where s.point_system_id = system and s.id = streak for update of s skip locked;
  if not found then
    return 0;
  end if;
  select count(*)::int, max(t.seq) into folded, reached_seq from (
    select e.seq from point_events e
    where e.point_system_id = system and e.seq > rules.counted_seq order by e.seq limit entries_max
  ) t;
  if folded = 0 then
    return 0;
  end if;

  for step in
    with marks as materialized (
      select t.seq, c.address, c.day, case when t.voids is null then 1 else -1 end as change
      from point_events t
      cross join lateral (
        -- A correction may stand at the primary wallet of the one that was credited.
        select e.address, (coalesce(e.occurred_at, e.created_at) at time zone rules.time_zone)::date as day
        from (
          select t.id, t.address, t.event, t.import_id, t.api_key_id, t.occurred_at, t.created_at where t.voids is null
          union all (
            select v.id, v.address, v.event, v.import_id, v.api_key_id, v.occurred_at, v.created_at from point_events v
            where t.voids is not null and v.point_system_id = system and v.created_at = t.voids_created_at
              and v.id = t.voids
            limit 1
          )
        ) e
        where e.event is not null and e.import_id is null
          and (rules.trigger_keys is null or e.event = any(rules.trigger_keys))
          and (e.api_key_id is not null or not exists (
            select from streak_bonuses b where b.point_system_id = system and b.event_id = e.id
          ))
      ) c
      where t.point_system_id = system and t.seq > rules.counted_seq and t.seq <= reached_seq
    ),
    counted as (
      select m.seq, m.address, m.day, m.change,
        coalesce(d.events, 0) + sum(m.change) over (partition by m.address, m.day order by m.seq) as events,
        lead(m.seq) over (partition by m.address, m.day order by m.seq) is null as is_last
      from marks m
      left join lateral (
        select d.events from streak_days d
        where d.point_system_id = system and d.streak_id = streak and d.address = m.address and d.day = m.day limit 1
      ) d on true
    )
    select c.seq, c.address, c.day, c.change, c.events, c.change = 1 and c.events = 1 as is_new
    from counted c
    -- The others neither make nor end a day, and their number is in the last one.
    where c.is_last or c.events = 0 or c.change = 1 and c.events = 1
    order by c.seq
  loop
    if step.events = 0 then
      delete from streak_days d
      where d.point_system_id = system and d.streak_id = streak and d.address = step.address and d.day = step.day;
      continue;
    end if;
    insert into streak_days (point_system_id, streak_id, address, day, events)
    values (system, streak, step.address, step.day, step.events)
    on conflict (point_system_id, streak_id, address, day) do update set events = excluded.events;
    continue when not step.is_new or rules.days_max = 0 or step.seq <= rules.pays_after_seq;

    -- The days in a row beside the new one. As many as the longest bonus are enough.
    select count(*)::int into days_before from (
      select d.day, row_number() over (order by d.day desc)::int as n from streak_days d
      where d.point_system_id = system and d.streak_id = streak and d.address = step.address and d.day < step.day
      order by d.day desc limit rules.days_max
    ) d where d.day = step.day - d.n;
    select count(*)::int into days_after from (
      select d.day, row_number() over (order by d.day)::int as n from streak_days d
      where d.point_system_id = system and d.streak_id = streak and d.address = step.address and d.day > step.day
      order by d.day limit rules.days_max
    ) d where d.day = step.day + d.n;
    insert into streak_bonuses (point_system_id, streak_id, address, days, reached_on, seq, trigger_key)
    select system, streak, step.address, b.days, step.day, step.seq, b."triggerKey"
    from jsonb_to_recordset(rules.bonuses) as b(days int, "triggerKey" text)
    where days_before < b.days and days_after < b.days and days_before + 1 + days_after >= b.days
      and not exists (
        select from streak_bonuses r
        where r.point_system_id = system and r.streak_id = streak and r.address = step.address and r.days = b.days
          and r.reached_on between step.day - days_before and step.day + days_after
      );
  end loop;
  update streaks s set counted_seq = reached_seq where s.point_system_id = system and s.id = streak;
  return folded;
end $$;
