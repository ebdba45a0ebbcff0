-- Counts the next events after a position into the figures of the program, as a part of fold_program. Answers how many.
--
-- A wallet belongs to a week in which it has an event that is not voided, and is new in the first of them. Its first and
-- last week are in wallet_weeks, so most events need no look into the ledger: only one between the two, and a correction,
-- ask whether the week has another event that stands.
create or replace function fold_program_events(system uuid, counted_seq bigint, entries_max int) returns int
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_bitmapscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_variable
declare
  folded int;
  reached_seq bigint;
  emptied tid[];
begin
  select count(*)::int, max(t.seq) into folded, reached_seq from (
    select e.seq from point_events e
    where e.point_system_id = system and e.seq > counted_seq order by e.seq limit entries_max
  ) t;
  if folded = 0 then
    return 0;
  end if;

  -- This statement may see more events than the one above: it takes as many.
  with changes as materialized (
    select c.*, date_trunc('week', c.fired_at at time zone 'UTC')::date as week
    from list_ledger_changes(system, counted_seq, folded) c
  ),
  days as (
    insert into daily_totals (point_system_id, day, boost_points)
    select system, (c.fired_at at time zone 'UTC')::date as day, sum(c.boost_points) from changes c
    group by day having sum(c.boost_points) <> 0 order by day
    on conflict (point_system_id, day) do update
      set boost_points = daily_totals.boost_points + excluded.boost_points
  ),
  -- Found once, by the boards: those that repeat have very many windows.
  counting as materialized (
    select w.id, w.starts_at, w.ends_at, w.closed_seq, t.after_seq
    from boards b
    cross join lateral (
      select w.id, w.starts_at, w.ends_at, w.closed_seq from board_windows w
      where w.point_system_id = system and w.board_id = b.id limit 1
    ) w
    cross join lateral (
      select t.after_seq from season_totals t where t.point_system_id = w.id limit 1
    ) t
    where b.point_system_id = system and b.kind = 'season' and coalesce(w.closed_seq > counted_seq, true)
  ),
  seasons as (
    update season_totals t set points = t.points + s.points
    from (
      select w.id, sum(c.points) as points
      from counting w cross join changes c
      where not c.is_move and c.seq > w.after_seq and c.seq <= coalesce(w.closed_seq, reached_seq)
        and counts_in_window(c.created_at, c.voids_created_at, w.starts_at, w.ends_at)
      group by w.id
    ) s
    where t.point_system_id = s.id
  ),
  touched as materialized (
    select c.address, c.week, bool_or(c.is_correction) as has_correction, w.place,
      coalesce(w.first_week, a.week) as first_week, coalesce(w.last_week, a.week) as last_week
    from (
      select c.address, c.week, c.is_correction from changes c where not c.is_move
    ) c
    left join lateral (
      select w.ctid as place, w.first_week, w.last_week from wallet_weeks w
      where w.point_system_id = system and w.address = c.address limit 1
    ) w on true
    -- Events that were archived before they were counted here: the wallet is new in no week.
    left join lateral (
      select f.week - 7 as week from find_archived_week(system, c.address) f where w.first_week is null
    ) a on true
    group by c.address, c.week, w.place, w.first_week, w.last_week, a.week
  ),
  compared as materialized (
    select t.*,
      case when t.week = t.first_week or t.week = t.last_week then true
        when t.week > t.first_week and t.week < t.last_week
          then find_standing_week(system, t.address, t.week, t.week, counted_seq) is not null
        else false end as was_active,
      not t.has_correction
        or find_standing_week(system, t.address, t.week, t.week, reached_seq) is not null as is_active
    from touched t
  ),
  -- The first and the last week of each wallet that came to a week or left one.
  moved as materialized (
    select m.address, m.place, m.first_week, m.last_week,
      case when m.leaves_first then find_standing_week(system, m.address, m.earliest, m.latest, reached_seq)
        else m.earliest end as first_after,
      case when m.leaves_last then find_standing_week(system, m.address, m.latest, m.earliest, reached_seq)
        else m.latest end as last_after
    from (
      select c.address, c.place, c.first_week, c.last_week,
        least(c.first_week, min(c.week) filter (where c.is_active)) as earliest,
        greatest(c.last_week, max(c.week) filter (where c.is_active)) as latest,
        coalesce(bool_or(not c.is_active and c.week = c.first_week), false) as leaves_first,
        coalesce(bool_or(not c.is_active and c.week = c.last_week), false) as leaves_last
      from compared c where c.was_active <> c.is_active
      group by c.address, c.place, c.first_week, c.last_week
    ) m
  ),
  weeks as (
    insert into weekly_wallets (point_system_id, week, wallets, new_wallets)
    select system, n.week, sum(n.wallets), sum(n.new_wallets)
    from (
      select c.week, case when c.is_active then 1 else -1 end as wallets, 0 as new_wallets
      from compared c where c.was_active <> c.is_active
      union all
      select m.first_week, 0, -1 from moved m where m.first_week is not null
      union all
      select m.first_after, 0, 1 from moved m where m.first_after is not null
    ) n
    group by n.week order by n.week
    on conflict (point_system_id, week) do update
      set wallets = weekly_wallets.wallets + excluded.wallets,
        new_wallets = weekly_wallets.new_wallets + excluded.new_wallets
  ),
  kept as (
    insert into wallet_weeks (point_system_id, address, first_week, last_week)
    select system, m.address, m.first_after, m.last_after from moved m
    where m.first_after is not null and (m.first_after, m.last_after) is distinct from (m.first_week, m.last_week)
    order by m.address
    on conflict (point_system_id, address) do update
      set first_week = excluded.first_week, last_week = excluded.last_week
  )
  select array_agg(m.place) into emptied from moved m where m.first_after is null and m.place is not null;
  if emptied is not null then
    perform remove_wallet_weeks(system, emptied);
  end if;
  update statistics_cursors c set program_seq = reached_seq where c.point_system_id = system;
  return folded;
end $$;
