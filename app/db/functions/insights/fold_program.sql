-- Counts the next events and spends into the figures of the program: the points that boosts added and that were spent on
-- each day, the wallets of each week, the points of seasons. All of them or none, at most entries_max of both kinds.
-- Answers how many there were of the kind that had more; 0 also when another session is counting or adds up a season.
create or replace function fold_program(system uuid, entries_max int) returns int
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_bitmapscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_variable
declare
  counted_seq bigint;
  spend_seq bigint;
  event_rows int;
  spend_rows int;
begin
  if not pg_try_advisory_xact_lock_shared(hashtextextended('program:' || system::text, 0)) then
    return 0;
  end if;
  select c.program_seq, c.program_spend_seq into counted_seq, spend_seq
  from statistics_cursors c join point_systems p on p.id = c.point_system_id and p.deleted_at is null
  where c.point_system_id = system for update of c skip locked;
  if not found then
    return 0;
  end if;
  event_rows := fold_program_events(system, counted_seq, entries_max);

  with folded as materialized (
    select s.seq, s.points, coalesce(r.created_at, s.created_at) as spent_at
    from (
      select * from spends s where s.point_system_id = system and s.seq > spend_seq
      order by s.seq limit entries_max
    ) s
    -- A reversal counts on the day of its spend. The two rows of a move add up to 0 on one day.
    left join lateral (
      select r.created_at from spends r where r.point_system_id = system and r.id = s.reverses limit 1
    ) r on true
  ),
  days as (
    insert into daily_totals (point_system_id, day, spent_points)
    select system, (f.spent_at at time zone 'UTC')::date as day, sum(f.points) from folded f
    group by day having sum(f.points) <> 0 order by day
    on conflict (point_system_id, day) do update
      set spent_points = daily_totals.spent_points + excluded.spent_points
  )
  select count(*)::int, max(f.seq) into spend_rows, spend_seq from folded f;
  if spend_rows > 0 then
    update statistics_cursors c set program_spend_seq = spend_seq where c.point_system_id = system;
  end if;
  return greatest(event_rows, spend_rows);
end $$;
