-- Lists the windows of boards that count a credit at a time, each at its place, with nulls between them; null without
-- any. Windows that have ended are closed first. The caller holds the ledger lock.
create or replace function list_windows_by_place(system_id uuid, at timestamptz) returns uuid[]
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set plan_cache_mode = force_generic_plan
as $$
declare
  windows uuid[];
  open record;
begin
  if exists (
    select from board_windows w
    where w.point_system_id = system_id and w.closed_seq is null and w.is_ready and w.ends_at <= at
  ) then
    perform from open_board_windows(system_id, at);
  end if;
  for open in
    select w.id, w.place from board_windows w
    where w.point_system_id = system_id and w.closed_seq is null
      and w.is_ready and w.starts_at <= at and w.ends_at > at
    order by w.place
  loop
    -- The first element is the first place's.
    if windows is null then windows[1] := null; end if;
    windows[open.place] := open.id;
  end loop;
  return windows;
end $$;
