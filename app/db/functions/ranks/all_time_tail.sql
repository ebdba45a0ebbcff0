-- Lists the tail of a point system's all-time board, as rank_tail does with a null `entries_max`, without the question
-- whether the board is a window: a rank takes a tenth less time.
create or replace function all_time_tail(system uuid, counted_to bigint)
returns table (key_before bigint, key_after bigint)
language sql stable as $$
  select case when e.opens_wallet is null then board_key(e.balance - e.points, e.address) end,
    board_key(e.balance, e.address)
  from point_events e
  where e.point_system_id = system and e.seq > counted_to and e.api_key_id is not null
  union all
  select m.key_before, m.key_after from rank_moves m where m.point_system_id = system and m.seq > counted_to
$$;
