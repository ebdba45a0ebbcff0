-- Lists the page of a board (list_board_page) that holds a wallet, with its offset, in one snapshot. `board` is a point
-- system for its all-time board, or another board's window. A linked wallet without a row of its own there has the page of
-- its primary wallet (read_board_entry). No row: the wallet is not on it.
--
-- The planner puts it into the caller's statement, so it has no settings of its own.
create or replace function list_board_around(board uuid, wallet bytea, page_rows bigint)
returns table (address bytea, points bigint, events bigint, board_offset bigint)
language sql stable as $$
  select page.address, page.points, page.events, place.board_offset
  from (
    select (rank_on_board(w.point_system_id, w.points, w.address) - 1) / page_rows * page_rows as board_offset
    -- Within it, a condition on the blacklist would let the look-up read the board's index whole.
    from (
      select * from wallets w
      where w.point_system_id = board
        and w.address = coalesce(
          (select own.address from wallets own where own.point_system_id = board and own.address = wallet),
          find_primary(coalesce((select b.point_system_id from board_windows b where b.id = board), board), wallet)
        )
      limit 1
    ) w
    where not w.is_blacklisted
    offset 0
  ) as place
  cross join lateral list_board_page(board, place.board_offset, page_rows) as page
$$;
