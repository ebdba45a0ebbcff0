-- Answers how many wallets stand on a board, at the moment of the snapshot: counts plus tail, as a rank.
create or replace function count_board(board uuid) returns bigint
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan
as $$
declare
  counted bigint;
begin
  select coalesce(c.wallets_from_band[1], 0) + (
    select count(t.key_after) - count(t.key_before) from rank_tail(board, c.seq, null) t
  ) into counted
  from rank_cursors c where c.point_system_id = board;
  if not found then
    select count(*) into counted from wallets w where w.point_system_id = board and not w.is_blacklisted;
  end if;
  return counted;
end $$;
