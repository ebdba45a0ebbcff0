-- Closes the windows of a board that is gone, or of all boards of a point system, so that they get no more rows. The caller
-- holds the ledger lock, so one that is being filled is waited for shortly: then it fails with 55P03.
create or replace function close_board_windows(system uuid, closed_board uuid default null) returns void
language plpgsql volatile
set lock_timeout = '500ms'
as $$
declare
  closing_seq constant bigint := next_ledger_seq(system);
begin
  update board_windows w set closed_seq = coalesce(w.closed_seq, closing_seq), is_ready = true, is_settled = true
  where w.point_system_id = system and w.board_id = coalesce(closed_board, w.board_id)
    and not (w.closed_seq is not null and w.is_ready and w.is_settled);
end $$;
