-- Lists the next entries of the tail, or all of them when entries_max is null: what moved wallets on the
-- board after the position counted_to, and up to to_seq if that is given. Credits through the API come from point_events,
-- everything else from rank_moves. Both take their seq from one sequence under the ledger's lock, so every snapshot has a
-- prefix of the tail, and the board is the counts plus the tail. A null key means "not on the board".
--
-- `system` is a point system for its all-time board, or another board's window. A window's credits come from the events
-- that say its points, up to the one at which it was closed. A wallet stands on it from its first point on.
create or replace function rank_tail(system uuid, counted_to bigint, entries_max bigint, to_seq bigint default null)
returns table (seq bigint, key_before bigint, key_after bigint)
language sql stable as $$
  (
    select e.seq, case when e.was_there then board_key(e.balance - e.points, e.address) end, board_key(e.balance, e.address)
    -- Behind its limit, the window is looked up first, whatever the statistics say. It is null for a point system. Both
    -- kinds of boards share this query, since each query of a statement makes every rank slower.
    --
    -- No event counts behind as many moves as are asked for. Those of a long import are none of the credits, and would all
    -- be read for each step of counting. Without a limit, nothing is left of this question.
    from (
      select case when entries_max is null then 9223372036854775807 else coalesce((
        select m.seq from rank_moves m
        where m.point_system_id = system and m.seq > counted_to
        order by m.seq limit 1 offset greatest(entries_max - 1, 0)
      ), 9223372036854775807) end as last_seq offset 0
    ) board
    left join lateral (select * from board_windows w where w.id = system limit 1) w on true
    cross join lateral (
      select e.seq, e.points, e.address,
        case when w.id is null then e.balance else e.board_points[w.place] end as balance,
        case when w.id is null then e.opens_wallet is null else e.board_points[w.place] > e.points end as was_there
      from point_events e
      where e.point_system_id = coalesce(w.point_system_id, system) and e.seq > counted_to
        and e.seq <= least(board.last_seq, w.closed_seq, coalesce(to_seq, 9223372036854775807))
        and case when w.id is null then e.api_key_id is not null else e.board_points[w.place] is not null end
      order by e.seq limit entries_max
    ) e
  )
  union all
  (
    select m.seq, m.key_before, m.key_after
    from rank_moves m
    where m.point_system_id = system and m.seq > counted_to and m.seq <= coalesce(to_seq, 9223372036854775807)
    order by m.seq limit entries_max
  )
$$;
