-- Lists a page of a point system's events, newest first, then the higher id: GET /activity. Corrections and the
-- events that they void are left out. A deep page is found by the counts of the pieces plus the events since
-- (fold_activity), from the nearer end, and reads the pieces that it lies in; so it costs nearly the same at any
-- depth. While more than tail_max events are not counted, all rows before the page are read.
--
-- Every look-up uses its index, whatever the settings and the statistics say.
create or replace function list_activity(
  system uuid, skipped bigint, rows_max int, shallow_max bigint, tail_max int
) returns table (
  id uuid, address bytea, points bigint, event text, created_at timestamptz, occurred_at timestamptz, metadata jsonb,
  base_points bigint, boost_factor numeric
)
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  first_id constant uuid := '00000000-0000-0000-0000-000000000000';
  last_id constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  counted_to bigint;
  total bigint;
  -- The changes of pieces since they were counted, by the ids of their marks.
  moved jsonb;
  piece record;
  starts_at timestamptz[] := '{}';
  starts_id uuid[] := '{}';
  ends_at timestamptz[] := '{}';
  ends_id uuid[] := '{}';
  offsets bigint[] := '{}';
  listed int := 0;
  just_listed int;
begin
  if skipped > shallow_max then
    select c.activity_seq, t.events - t.archived_events into counted_to, total
    from statistics_cursors c cross join lateral read_totals(system) t
    where c.point_system_id = system
      and exists (select from activity_marks m where m.point_system_id = system)
      and (
        select e.seq from point_events e
        where e.point_system_id = system and e.seq > c.activity_seq
        order by e.point_system_id, e.seq offset tail_max limit 1
      ) is null;
  end if;

  if counted_to is null then
    starts_at := array['-infinity'];
    starts_id := array[first_id];
    ends_at := array['infinity'];
    ends_id := array[last_id];
    offsets := array[skipped];
  else
    select coalesce(jsonb_object_agg(d.id, d.change), '{}') into moved from (
      select m.id, sum(t.change) as change
      from list_activity_changes(system, counted_to, null) t
      cross join lateral (
        select m.id from activity_marks m
        where m.point_system_id = system and (m.created_at, m.id) <= (t.created_at, t.id)
        order by m.created_at desc, m.id desc limit 1
      ) m
      group by m.id
    ) d;
  end if;

  if skipped * 2 <= total then
    for piece in
      select p.* from (
        select m.created_at, m.id, c.events, sum(c.events) over newer - c.events as ahead,
          lag(m.created_at, 1, 'infinity') over newer as end_at, lag(m.id, 1, last_id) over newer as end_id
        from activity_marks m
        cross join lateral (
          select m.events + coalesce((moved ->> m.id::text)::bigint, 0) as events
        ) c
        where m.point_system_id = system
        window newer as (order by m.created_at desc, m.id desc rows unbounded preceding)
      ) p
      where p.events > 0 and p.ahead + p.events > skipped
    loop
      exit when piece.ahead >= skipped + rows_max;
      starts_at := starts_at || piece.created_at;
      starts_id := starts_id || piece.id;
      ends_at := ends_at || piece.end_at;
      ends_id := ends_id || piece.end_id;
      offsets := offsets || greatest(skipped - piece.ahead, 0)::bigint;
    end loop;
  elsif total is not null then
    for piece in
      select p.* from (
        select m.created_at, m.id, c.events, total - sum(c.events) over older as ahead,
          lead(m.created_at, 1, 'infinity') over older as end_at,
          lead(m.id, 1, last_id) over older as end_id
        from activity_marks m
        cross join lateral (
          select m.events + coalesce((moved ->> m.id::text)::bigint, 0) as events
        ) c
        where m.point_system_id = system
        window older as (order by m.created_at, m.id rows unbounded preceding)
      ) p
      where p.events > 0 and p.ahead < skipped + rows_max
    loop
      exit when piece.ahead + piece.events <= skipped;
      starts_at := piece.created_at || starts_at;
      starts_id := piece.id || starts_id;
      ends_at := piece.end_at || ends_at;
      ends_id := piece.end_id || ends_id;
      offsets := greatest(skipped - piece.ahead, 0)::bigint || offsets;
    end loop;
  end if;

  for i in 1..cardinality(offsets) loop
    return query
    select e.id, e.address, e.points, e.event, e.created_at, e.occurred_at, e.metadata,
      e.base_points, e.boost_factor
    from point_events e
    where e.point_system_id = system and e.voids is null
      and (e.created_at, e.id) >= (starts_at[i], starts_id[i])
      and (e.created_at, e.id) < (ends_at[i], ends_id[i])
      and (
        select c.id from point_events c
        where c.point_system_id = system and c.voids = e.id limit 1
      ) is null
    order by e.point_system_id desc, e.created_at desc, e.id desc
    offset offsets[i] limit rows_max - listed;
    get diagnostics just_listed = row_count;
    listed := listed + just_listed;
    exit when listed = rows_max;
  end loop;
end $$;
