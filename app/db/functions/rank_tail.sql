-- Lists the next entries of the tail, or all of them when entries_max is null: what moved wallets on the
-- board after the position counted_to. Credits through the API come from point_events, everything else from
-- rank_moves. Both take their seq from one sequence under the ledger's lock, so every snapshot has a prefix of
-- the tail, and the board is the counts plus the tail. A null key means "not on the board".
create or replace function rank_tail(system uuid, counted_to bigint, entries_max bigint)
returns table (seq bigint, key_before bigint, key_after bigint)
language sql stable as $$
  (
    select e.seq,
      case when e.opens_wallet is null then board_key(e.balance - e.points, e.address) end,
      board_key(e.balance, e.address)
    from point_events e
    where e.point_system_id = system and e.seq > counted_to and e.api_key_id is not null
    order by e.seq limit entries_max
  )
  union all
  (
    select m.seq, m.key_before, m.key_after
    from rank_moves m
    where m.point_system_id = system and m.seq > counted_to
    order by m.seq limit entries_max
  )
$$;
