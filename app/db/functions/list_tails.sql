-- Lists the next point systems after an id, with the positions that tell whether their ledgers have a tail:
-- the newest event and the newest move, and how far ranks, totals, statistics and the activity are counted. A null position
-- means none. A point system costs five look-ups by index, whatever the settings and the statistics say.
create or replace function list_tails(after_id uuid, systems_max int)
returns table (id uuid, event_seq bigint, move_seq bigint, ranks_seq bigint, totals_seq bigint,
  statistics_seq bigint, activity_seq bigint)
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
begin
  return query
  select p.id,
    (
      select e.seq from point_events e
      where e.point_system_id = p.id order by e.point_system_id desc, e.seq desc limit 1
    ),
    (
      select m.seq from rank_moves m
      where m.point_system_id = p.id order by m.point_system_id desc, m.seq desc limit 1
    ),
    (select c.seq from rank_cursors c where c.point_system_id = p.id limit 1),
    (select t.counted_seq from point_system_totals t where t.point_system_id = p.id limit 1),
    s.seq, s.activity_seq
  from (
    select s.id from point_systems s
    where s.id > after_id and s.deleted_at is null order by s.id limit systems_max
  ) p
  left join lateral (
    select s.seq, s.activity_seq from statistics_cursors s where s.point_system_id = p.id limit 1
  ) s on true;
end $$;
