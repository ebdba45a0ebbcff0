-- A rank costs one statement instead of two, and counting adds a level's changes up from those of the
-- level beneath it, instead of finding them for each entry and level anew (docs/decisions/026).
-- Nothing that is stored changes.
-- A wallet's position on the board, 1 for the best; for a blacklisted one that which it would hold:
-- the counts of the buckets above its own, level by level, and the tail, and those before it among
-- the ties of its first byte.
create or replace function rank_on_board(system uuid, wallet_points bigint, wallet_address bytea)
returns bigint
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan
as $$
declare
  key bigint := board_key(wallet_points, wallet_address);
  found_rank bigint;
begin
  select 1 + coalesce((
      select sum(r.wallets) from rank_levels() l
      cross join lateral (
        select r.wallets from rank_counts r
        where r.point_system_id = system and r.level = l.level
          and r.bucket > (key >> l.shift) and r.bucket <= ((key >> l.shift) | l.siblings)
        offset 0
      ) r
      where (c.key_max >> l.shift) > (key >> l.shift)
    ), 0) + (
      -- The tail, without the order in which it is counted.
      select count(*) filter (where board_key(e.balance, e.address) > key)
        - count(*) filter (
          where e.opens_wallet is null and board_key(e.balance - e.points, e.address) > key
        )
      from point_events e
      where e.point_system_id = system and e.seq > c.seq and e.api_key_id is not null
    ) + (
      select count(*) filter (where m.key_after > key) - count(*) filter (where m.key_before > key)
      from rank_moves m
      where m.point_system_id = system and m.seq > c.seq
    ) + (
      select count(*) from wallets w
      where w.point_system_id = system and not w.is_blacklisted and w.points = wallet_points
        and w.address >= substring(wallet_address from 1 for 1) and w.address < wallet_address
    )
  into found_rank
  from rank_cursors c where c.point_system_id = system;
  if found then
    return found_rank;
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
--> statement-breakpoint
-- Counts the next entries of the tail, all or none of them. Whoever comes while another one does so
-- leaves at once.
create or replace function fold_ranks(system uuid, entries_max int) returns int
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_bitmapscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_variable
declare
  counted_to bigint;
  folded int;
  emptied tid[];
begin
  select c.seq into counted_to from rank_cursors c
  where c.point_system_id = system for update skip locked;
  if counted_to is null then
    return 0;
  end if;

  with tail as materialized (
    select t.seq, t.key_before, t.key_after
    from rank_tail(system, counted_to, entries_max) t order by t.seq limit entries_max
  ),
  -- The shifts are those of rank_levels(). A move within a bucket changes nothing from there up.
  level_0 as materialized (
    select m.bucket, sum(m.change)::int as change
    from (
      select key_before as bucket, -1 as change from tail where key_before is not null
      union all
      select key_after, 1 from tail where key_after is not null
    ) m
    group by 1 having sum(m.change) <> 0
  ),
  level_1 as materialized (
    select bucket >> 8 as bucket, sum(change)::int as change
    from level_0 group by 1 having sum(change) <> 0
  ),
  level_2 as materialized (
    select bucket >> 5 as bucket, sum(change)::int as change
    from level_1 group by 1 having sum(change) <> 0
  ),
  level_3 as materialized (
    select bucket >> 5 as bucket, sum(change)::int as change
    from level_2 group by 1 having sum(change) <> 0
  ),
  level_4 as materialized (
    select bucket >> 5 as bucket, sum(change)::int as change
    from level_3 group by 1 having sum(change) <> 0
  ),
  level_5 as materialized (
    select bucket >> 5 as bucket, sum(change)::int as change
    from level_4 group by 1 having sum(change) <> 0
  ),
  level_6 as materialized (
    select bucket >> 5 as bucket, sum(change)::int as change
    from level_5 group by 1 having sum(change) <> 0
  ),
  level_7 as materialized (
    select bucket >> 5 as bucket, sum(change)::int as change
    from level_6 group by 1 having sum(change) <> 0
  ),
  level_8 as materialized (
    select bucket >> 5 as bucket, sum(change)::int as change
    from level_7 group by 1 having sum(change) <> 0
  ),
  level_9 as materialized (
    select bucket >> 5 as bucket, sum(change)::int as change
    from level_8 group by 1 having sum(change) <> 0
  ),
  level_10 as materialized (
    select bucket >> 5 as bucket, sum(change)::int as change
    from level_9 group by 1 having sum(change) <> 0
  ),
  level_11 as materialized (
    select bucket >> 5 as bucket, sum(change)::int as change
    from level_10 group by 1 having sum(change) <> 0
  ),
  counted as materialized (
    select d.level, d.bucket, coalesce(c.wallets, 0) + d.change as wallets, c.place
    from (
      select 0::smallint as level, bucket, change from level_0
      union all select 1::smallint, bucket, change from level_1
      union all select 2::smallint, bucket, change from level_2
      union all select 3::smallint, bucket, change from level_3
      union all select 4::smallint, bucket, change from level_4
      union all select 5::smallint, bucket, change from level_5
      union all select 6::smallint, bucket, change from level_6
      union all select 7::smallint, bucket, change from level_7
      union all select 8::smallint, bucket, change from level_8
      union all select 9::smallint, bucket, change from level_9
      union all select 10::smallint, bucket, change from level_10
      union all select 11::smallint, bucket, change from level_11
    ) d
    left join lateral (
      select r.wallets, r.ctid as place from rank_counts r
      where r.point_system_id = system and r.level = d.level and r.bucket = d.bucket limit 1
    ) c on true
  ),
  -- By its place: an upsert would look it up once more, and lock it before it changes it.
  changed as (
    update rank_counts r set wallets = c.wallets from counted c
    where r.point_system_id = system and r.ctid = c.place and c.wallets <> 0
  ),
  filled as (
    insert into rank_counts (point_system_id, level, bucket, wallets)
    select system, c.level, c.bucket, c.wallets from counted c
    where c.place is null order by c.level, c.bucket
  ),
  extent as materialized (
    select count(*)::int as entries, max(seq) as seq, max(key_after) as key_max from tail
  ),
  forgotten as (
    delete from rank_moves m
    where m.point_system_id = system and m.seq <= (select x.seq from extent x)
  ),
  -- With the whole tail counted, past events that moved nobody as well.
  reached as materialized (
    select greatest(x.seq, case when x.entries < entries_max then (
        select e.seq from point_events e
        where e.point_system_id = system order by e.seq desc limit 1
      ) end) as seq, x.key_max
    from extent x
  ),
  moved as (
    update rank_cursors c set seq = reached.seq, key_max = greatest(c.key_max, reached.key_max)
    from reached
    where c.point_system_id = system and reached.seq > c.seq
  )
  select (select x.entries from extent x),
    (select array_agg(c.place) from counted c where c.wallets = 0)
  into folded, emptied;
  if emptied is not null then
    perform remove_rank_counts(system, emptied);
  end if;
  return folded;
end $$;
