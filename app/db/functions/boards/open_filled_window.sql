-- Opens a filled window of a board to credits. One that has ended meanwhile is closed, and the present window of a
-- repeating board takes its place, to be filled in turn: its id is the answer, else null. The caller holds the ledger lock.
create or replace function open_filled_window(system uuid, filled_window uuid) returns uuid
language plpgsql volatile as $$
declare
  next_window uuid;
begin
  with opened as (
    update board_windows w set is_ready = true,
      closed_seq = case when w.ends_at <= clock_timestamp() then nextval('point_events_seq_seq') end
    where w.id = filled_window and not w.is_ready and w.closed_seq is null
    returning w.board_id, w.place, w.closed_seq
  ),
  following as (
    insert into board_windows (point_system_id, board_id, label, starts_at, ends_at, place, is_ready)
    select system, b.id, f.label, f.starts_at, f.ends_at, o.place, false
    from opened o
    join boards b on b.point_system_id = system and b.id = o.board_id
    cross join lateral find_window(b.kind, b.time_zone, clock_timestamp()) f
    where o.closed_seq is not null and b.kind <> 'season' and b.ended_at is null
    returning id
  )
  select (select id from following) into next_window;
  return next_window;
end $$;
