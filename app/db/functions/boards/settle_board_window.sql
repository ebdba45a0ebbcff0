-- Marks a closed window of a board as settled: its ranks do not change any more. Says so to the webhooks, in the same
-- transaction, with the board's name as calls have it, and the wallets that have a rank there. A window of a repeating
-- board in which nothing was credited is not said.
create or replace function settle_board_window(board_window uuid) returns void
language sql volatile as $$
  with settled as (
    update board_windows w set is_settled = true where w.id = board_window and not w.is_settled
    returning w.*, (
      select coalesce(c.wallets_from_band[1], 0) from rank_cursors c where c.point_system_id = w.id
    ) as wallets
  )
  select say_webhook_events(s.point_system_id, 'board.ended', array[jsonb_build_object(
    'board', case when b.kind = 'season' then 'season:' || b.slug else b.kind || ':' || s.label end,
    'name', b.name,
    'startsAt', to_char(s.starts_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'endsAt', to_char(s.ends_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'wallets', s.wallets
  )])
  from settled s
  join boards b on b.point_system_id = s.point_system_id and b.id = s.board_id
  where b.kind = 'season' or s.wallets > 0
$$;
