-- Answers how many wallets have points of each band or a higher one, from band 0 up to that of key_max, as
-- rank_cursors holds it: added up from the counts of level 1.
create or replace function sum_bands(system uuid, key_max bigint) returns int[]
language sql stable as $$
  select coalesce(array_agg(b.wallets order by b.band), '{}') from (
    select n.band, sum(sum(n.wallets)) over (order by n.band desc)::int as wallets
    from (
      select band, 0 as wallets from generate_series(0, points_band(key_max >> 6)) band
      union all
      select points_band(r.bucket), r.wallets from rank_counts r
      where r.point_system_id = system and r.level = 1
    ) n
    group by n.band
  ) b
$$;
