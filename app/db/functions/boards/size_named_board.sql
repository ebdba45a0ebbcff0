-- Finds the window of a named board (find_board_window) and the number of wallets on it; null while it is not ready.
--
-- The planner puts it into the caller's statement, so it has no settings of its own.
create or replace function size_named_board(system uuid, board_key text, wanted_label text)
returns table (window_id uuid, is_ready boolean, participants bigint)
language sql stable as $$
  select f.window_id, f.is_ready, case when f.window_id is null then 0 when f.is_ready then count_board(f.window_id) end
  from find_board_window(system, board_key, wanted_label) f
$$;
