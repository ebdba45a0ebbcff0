-- Reads a wallet on a named board (find_board_window), at one moment: its points, events and rank there, the number of
-- wallets on the board, and the wallet's entry of the blacklist. No row: there is no such board, or no such window.
-- Null points: the wallet has none there. While it is not ready, it has no rank and no number.
--
-- A wallet that was linked after a window ended has its own row there: that row is its standing. A linked wallet without
-- one is answered with the row of its primary wallet. The entry of the blacklist is the holder's of now in both cases.
--
-- The planner puts it into the caller's statement, so it has no settings of its own.
create or replace function read_board_entry(system uuid, board_key text, wanted_label text, wallet bytea)
returns table (
  is_ready boolean, window_id uuid, points bigint, events bigint, rank bigint, participants bigint,
  blacklist_reason text, blacklisted_at timestamptz
)
language sql stable as $$
  select f.is_ready, f.window_id, w.points, w.events,
    case when w.points is not null and f.is_ready then rank_on_board(w.point_system_id, w.points, w.address) end,
    case when f.window_id is null then 0 when f.is_ready then count_board(f.window_id) end,
    l.reason, l.created_at
  from find_board_window(system, board_key, wanted_label) f
  left join wallets w on w.point_system_id = f.window_id and w.address = coalesce(
    (select own.address from wallets own where own.point_system_id = f.window_id and own.address = wallet),
    find_primary(system, wallet)
  )
  left join lateral find_blacklist_entry(system, find_primary(system, wallet)) l on true
$$;
