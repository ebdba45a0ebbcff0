-- Counts the next events into the pieces of the activity that they belong to: all of them or none, at most
-- entries_max. A correction takes the event that it voids out of its piece. A piece of more than twice
-- piece_size events is split. Answers how many were counted; 0 also when another session is counting.
--
-- A piece begins at its mark (created_at, id) and ends before the next one. Its count is that of the cursor's
-- position, so every snapshot shows counts plus later events as one exact list.
--
-- While tables are new, all indexes of events look equally cheap. Sorting is off, so that a piece is read by the one
-- that has its order (docs/decisions/012).
create or replace function fold_activity(system uuid, entries_max int, piece_size int) returns int
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_bitmapscan = off set enable_sort = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_variable
declare
  counted_to bigint;
  folded int;
  reached_seq bigint;
  newest_at timestamptz;
  newest_id uuid;
  -- The pieces that changed.
  changed_at timestamptz[];
  changed_ids uuid[];
  changes bigint[];
  piece record;
  piece_events bigint;
  end_at timestamptz;
  end_id uuid;
begin
  select c.activity_seq into counted_to
  from statistics_cursors c join point_systems p on p.id = c.point_system_id and p.deleted_at is null
  where c.point_system_id = system for update of c skip locked;
  if counted_to is null then
    return 0;
  end if;
  insert into activity_marks (point_system_id, created_at, id)
  values (system, '-infinity', '00000000-0000-0000-0000-000000000000') on conflict do nothing;
  select m.created_at, m.id into newest_at, newest_id from activity_marks m
  where m.point_system_id = system
  order by m.point_system_id desc, m.created_at desc, m.id desc limit 1;

  with tail as materialized (
    select t.seq, t.created_at, t.id, t.change
    from list_activity_changes(system, counted_to, entries_max) t
  ),
  changed as materialized (
    select m.created_at, m.id, sum(t.change) as change
    from tail t
    -- Nearly all events are of the newest piece, which needs no look-up.
    cross join lateral (
      select newest_at as created_at, newest_id as id
      where (t.created_at, t.id) >= (newest_at, newest_id)
      union all (
        select m.created_at, m.id from activity_marks m
        where (t.created_at, t.id) < (newest_at, newest_id)
          and m.point_system_id = system and (m.created_at, m.id) <= (t.created_at, t.id)
        order by m.point_system_id desc, m.created_at desc, m.id desc limit 1
      )
    ) m
    group by m.created_at, m.id
  )
  select count(*)::int, max(t.seq), (select array_agg(c.created_at) from changed c),
    (select array_agg(c.id) from changed c), (select array_agg(c.change) from changed c)
  into folded, reached_seq, changed_at, changed_ids, changes
  from tail t;
  if folded = 0 then
    return 0;
  end if;
  update statistics_cursors c set activity_seq = reached_seq where c.point_system_id = system;

  -- One by one: a statement for all could read all marks of the point system.
  for piece in select * from unnest(changed_at, changed_ids, changes) as c(created_at, id, change) loop
    update activity_marks m set events = m.events + piece.change
    where m.point_system_id = system and m.created_at = piece.created_at and m.id = piece.id
    returning m.events into piece_events;
    continue when piece_events <= 2 * piece_size;
    select n.created_at, n.id into end_at, end_id from activity_marks n
    where n.point_system_id = system and (n.created_at, n.id) > (piece.created_at, piece.id)
    order by n.created_at, n.id limit 1;
    end_at := coalesce(end_at, 'infinity');
    end_id := coalesce(end_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
    -- As many as the piece has: what is not counted yet may stand behind them, and is not read.
    with standing as materialized (
      select e.created_at, e.id, row_number() over (order by e.created_at, e.id) - 1 as n
      from (
        select e.created_at, e.id
        from point_events e
        where e.point_system_id = system and e.voids is null and e.seq + 0 <= reached_seq
          and (e.created_at, e.id) >= (piece.created_at, piece.id)
          and (e.created_at, e.id) < (end_at, end_id)
          and (
            not exists (select from point_events c where c.point_system_id = system and c.voids is not null)
            or (
              select c.id from point_events c
              where c.point_system_id = system and c.voids = e.id and c.seq + 0 <= reached_seq limit 1
            ) is null
          )
        order by e.created_at, e.id limit piece_events
      ) e
    ),
    pieces as (
      insert into activity_marks (point_system_id, created_at, id, events)
      select system, s.created_at, s.id,
        least(piece_size, (select count(*) from standing) - s.n)
      from standing s where s.n % piece_size = 0 and s.n > 0
    )
    update activity_marks m set events = least(piece_size, (select count(*) from standing))
    where m.point_system_id = system and m.created_at = piece.created_at and m.id = piece.id;
  end loop;
  return folded;
end $$;
