-- Answers how many wallets of the board are ahead of a wallet, from the counts: exact at every moment
-- (docs/decisions/026). The sum has the wallets of higher bands, plus
--
-- - within its band, level by level, the counts of the buckets above its own,
-- - the tail: what moved on the board since the counts were made,
-- - the wallets before it among the ties of the same key. In the upper half of the ties, by the next bit of its address,
--   `key` is the one below, so that the counts have all ties, and the wallets from this one on are taken off again. They
--   are asked for by a range of points and in an order, which only the index of the board has (docs/decisions/012): the
--   other one would read all wallets with such addresses.
--
-- With `is_all_time`, the board is a point system's, which the caller knows: as a constant, it leaves the other tail out of
-- the plan. No row where the counts are not made yet. One sum of everything, since each aggregate of a statement costs
-- as much as a look-up. A query that calls this function has it in its own plan, with its own settings.
create or replace function sum_wallets_ahead(
  system uuid, wallet_points bigint, wallet_address bytea, is_all_time boolean default false
) returns table (wallets bigint)
language sql stable as $$
  select coalesce(c.wallets_from_band[points_band(k.key >> 6) + 2], 0) + coalesce((
    select sum(a.wallets) from (
      select r.wallets from rank_levels() l
      cross join lateral (
        select r.wallets::int from rank_counts r
        where r.point_system_id = system and r.level = l.level
          and r.bucket > (k.key >> l.shift)
          and r.bucket <= least((k.key >> l.shift) | l.siblings, k.last_of_band >> l.shift)
        offset 0
      ) r
      where (k.last_of_band >> l.shift) > (k.key >> l.shift)
      union all
      select coalesce((t.key_after > k.key)::int, 0) - coalesce((t.key_before > k.key)::int, 0)
      from (
        select key_before, key_after from rank_tail(system, c.seq, null) where not is_all_time
        union all
        select key_before, key_after from all_time_tail(system, c.seq) where is_all_time
      ) t
      union all
      select k.sign from (
        select from wallets w
        where w.point_system_id = system and not w.is_blacklisted
          and w.points >= wallet_points and w.points <= wallet_points
          and w.address >= k.first_tie and w.address < k.end_of_ties
        order by w.points desc, w.address
      ) w
    ) a
  ), 0)
  from rank_cursors c
  -- Behind `offset 0` these are computed once, not at each place that uses them.
  cross join lateral (
    select b.key, last_key_of_band(b.key) as last_of_band, 1 - 2 * b.half as sign,
      case b.half when 0 then set_byte('\x00', 0, b.prefix) else wallet_address end as first_tie,
      case
        when b.half = 0 then wallet_address
        when b.prefix < 252 then set_byte('\x00', 0, b.prefix + 4)
        else decode(repeat('ff', 21), 'hex')
      end as end_of_ties
    from (
      select board_key(wallet_points, wallet_address) - (get_byte(wallet_address, 0) >> 1 & 1) as key,
        get_byte(wallet_address, 0) >> 1 & 1 as half, get_byte(wallet_address, 0) & 252 as prefix
      offset 0
    ) b offset 0
  ) k
  where c.point_system_id = system
$$;
