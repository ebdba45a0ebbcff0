-- Lists the open windows of a point system's boards for events at `at`, and keeps them in step with time: a window that
-- has ended is closed, and the next one of a repeating board is opened. The caller holds the ledger lock.
--
-- A closed window counts nothing more. Its `closed_seq` lies after every event before, and before every later one:
-- ranks and verification read the ledger up to there.
--
-- A fixture file can date events ahead of the clock. A window that opens counts those of its time that are there already:
-- up to 10,000 at once; more leave it to the job that fills windows.
create or replace function open_board_windows(system uuid, at timestamptz)
returns table (id uuid, place smallint, starts_at timestamptz, ends_at timestamptz)
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  ended record;
  filled_max constant int := 10000;
  next_id uuid;
  waiting bigint;
begin
  for ended in
    select w.id, w.board_id, w.place from board_windows w
    where w.point_system_id = system and w.closed_seq is null and w.is_ready and w.ends_at <= at
  loop
    update board_windows w set closed_seq = nextval('point_events_seq_seq') where w.id = ended.id;
    insert into board_windows (point_system_id, board_id, label, starts_at, ends_at, place, is_ready)
    select system, b.id, f.label, f.starts_at, f.ends_at, ended.place, not exists (
      select from point_events e
      where e.point_system_id = system and e.created_at >= f.starts_at and e.created_at < f.ends_at
    )
    from boards b cross join lateral find_window(b.kind, b.time_zone, at) f
    where b.point_system_id = system and b.id = ended.board_id and b.kind <> 'season' and b.ended_at is null
    -- With a clock that went back, the window is there and closed.
    on conflict do nothing;
    insert into rank_cursors (point_system_id, seq)
    select w.id, e.closed_seq from board_windows w
    join board_windows e on e.id = ended.id
    where w.point_system_id = system and w.board_id = ended.board_id and w.closed_seq is null and w.is_ready
    on conflict do nothing;
    select w.id, (
      select count(*) from (
        select from point_events e
        where e.point_system_id = system and e.created_at >= w.starts_at and e.created_at < w.ends_at
        limit filled_max + 1
      ) e
    ) into next_id, waiting
    from board_windows w
    where w.point_system_id = system and w.board_id = ended.board_id and w.closed_seq is null and not w.is_ready;
    if waiting <= filled_max then
      perform fill_board_window(next_id, true);
      perform open_filled_window(system, next_id);
      perform rebuild_ranks(next_id);
    end if;
  end loop;
  return query
  select w.id, w.place, w.starts_at, w.ends_at from board_windows w
  where w.point_system_id = system and w.closed_seq is null and w.is_ready;
end $$;
