-- Answers a wallet's position on the board, 1 for the best. A blacklisted wallet gets the position that it
-- would hold. The answer is exact at every moment (docs/decisions/026). It is 1 plus the sum of
--
-- - the wallets of higher bands,
-- - within its band, level by level, the counts of the buckets above its own,
-- - the tail: what moved on the board since the counts were made,
-- - the wallets before it among the ties of the same key.
--
-- Below 512 points, only level 0 has something to add. In a lower half, the wallets from this one down are
-- subtracted from all of them, since they are fewer. Without counts, the wallets ahead are counted one by one.
--
-- Each tie adds 1, whether it counts for or against the wallet: ties are most of the rows, and a sign for each
-- of them took a tenth of the time. The rest of the sum carries their sign, and the sum carries it again.
create or replace function rank_on_board(system uuid, wallet_points bigint, wallet_address bytea)
returns bigint
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan
as $$
declare
  -- What is used more than once only: each is an expression that every query prepares anew.
  key bigint := board_key(wallet_points, wallet_address);
  first_byte int := get_byte(wallet_address, 0);
  -- The lower half of the ties of the same six bits.
  is_low boolean := first_byte & 2 <> 0;
  -- Keys above this one are added up: with those ties when the ones from the wallet down are
  -- subtracted.
  key_below bigint := key - is_low::int;
  -- The lower half of the wallets with as many points.
  is_far_down boolean := first_byte >= 128;
  ties_sign int := 1 - (first_byte & 2);
  counts_sign int := case when is_far_down then -ties_sign else ties_sign end;
  found_rank bigint;
begin
  select 1 + coalesce(c.wallets_from_band[
      points_band(wallet_points) + 2 - (is_far_down and wallet_points < 512)::int
    ], 0) + ties_sign * coalesce((
      -- One sum of everything: each aggregate that a statement has costs as much as a look-up.
      select sum(a.wallets) from (
        select r.wallets::int * counts_sign as wallets
        from rank_counts r
        where r.point_system_id = system and r.level = 0
          and r.bucket >= case when is_far_down then wallet_points << 6 else key_below + 1 end
          and r.bucket <= case when is_far_down then key_below else key | 63 end
        union all
        -- The tail, without the order in which it is counted.
        select ties_sign * ((board_key(e.balance, e.address) > key_below)::int - (
          e.opens_wallet is null and board_key(e.balance - e.points, e.address) > key_below
        )::int)
        from point_events e
        where e.point_system_id = system and e.seq > c.seq and e.api_key_id is not null
        union all
        select ties_sign * (coalesce((m.key_after > key_below)::int, 0)
          - coalesce((m.key_before > key_below)::int, 0))
        from rank_moves m
        where m.point_system_id = system and m.seq > c.seq
        union all
        select 1 from wallets w
        where w.point_system_id = system and not w.is_blacklisted and w.points = wallet_points
          and w.address >= case when is_low then wallet_address
            else set_byte('\x00', 0, first_byte & 252) end
          -- Longer than an address, hence after the last one that begins so.
          and w.address < case when is_low
            then set_byte('\xffffffffffffffffffffffffffffffffffffffffff', 0, first_byte | 3)
            else wallet_address end
      ) a
    ), 0)
  into found_rank
  from rank_cursors c where c.point_system_id = system;
  if wallet_points < 512 and found_rank is not null then
    return found_rank;
  end if;
  if found_rank is not null then
    return found_rank + coalesce((
      select sum(r.wallets)::bigint from rank_counts r
      where r.point_system_id = system and r.level = 1
        and r.bucket >= wallet_points + (not is_far_down)::int
        and r.bucket <= least(wallet_points | 31, last_key_of_band(key) >> 6)
    ), 0) + coalesce((
      select sum(r.wallets)::bigint from rank_levels() l
      cross join lateral (
        select r.wallets from rank_counts r
        where r.point_system_id = system and r.level = l.level
          and r.bucket > (key >> l.shift)
          and r.bucket <= least((key >> l.shift) | l.siblings, last_key_of_band(key) >> l.shift)
        offset 0
      ) r
      where l.level > 1 and (last_key_of_band(key) >> l.shift) > (key >> l.shift)
    ), 0);
  end if;
  return 1 + (
      select count(*) from wallets w
      where w.point_system_id = system and not w.is_blacklisted and w.points > wallet_points
    ) + (
      select count(*) from wallets w
      where w.point_system_id = system and not w.is_blacklisted and w.points = wallet_points
        and w.address < wallet_address
    );
end $$;
