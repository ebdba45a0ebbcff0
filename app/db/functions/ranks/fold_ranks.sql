-- Adds the next entries of the tail to the counts: all of them or none, at most entries_max. Answers how
-- many, or entries_max when there may be more. If another session is counting this point system, the call answers 0 at once.
--
-- The counts, the bands and the position of rank_cursors change in one transaction, so every snapshot
-- shows counts plus tail as one exact board (docs/decisions/026). `system` is a point system, or another board's window.
create or replace function fold_ranks(system uuid, entries_max int) returns int
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_bitmapscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_variable
declare
  counted_to bigint;
  from_band int[];
  folded int;
  emptied tid[];
  changed tid[];
  changed_to int[];
  reached_seq bigint;
  highest_key bigint;
  missing_bands int;
  -- The bands whose wallets have changed, from the highest one down.
  bands int[];
  changes int[];
  next_change int := 1;
  moved_wallets int := 0;
  -- Most events of the ledger may move no wallet of the board: this many are read for an entry.
  events_an_entry constant int := 4;
  to_seq bigint;
  -- The point system of a window, and the last position that counts once it is closed.
  ledger uuid;
  closed_at_seq bigint;
begin
  select c.seq, c.key_max, c.wallets_from_band into counted_to, highest_key, from_band
  from rank_cursors c where c.point_system_id = system for update skip locked;
  if counted_to is null then
    return 0;
  end if;
  select w.point_system_id, w.closed_seq into ledger, closed_at_seq from board_windows w where w.id = system;
  select e.seq into to_seq from point_events e
  where e.point_system_id = coalesce(ledger, system) and e.seq > counted_to
  order by e.seq offset events_an_entry * entries_max - 1 limit 1;

  with tail as materialized (
    select t.seq, t.key_before, t.key_after
    from rank_tail(system, counted_to, entries_max, to_seq) t order by t.seq limit entries_max
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
    select bucket >> 6 as bucket, sum(change)::int as change
    from level_0 group by 1 having sum(change) <> 0
  ),
  changed_bands as materialized (
    select points_band(bucket) as band, sum(change)::int as change
    from level_1 group by 1 having sum(change) <> 0
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
  )
  select x.entries, greatest(highest_key, x.key_max),
    -- With the whole tail counted, the cursor also passes events that moved no wallet.
    greatest(x.seq, case when x.entries < entries_max then coalesce(least(to_seq, closed_at_seq), (
      select e.seq from point_events e
      where e.point_system_id = coalesce(ledger, system) order by e.seq desc limit 1
    )) end),
    (select array_agg(c.place) from counted c where c.wallets = 0),
    (select array_agg(c.place) from counted c where c.wallets <> 0 and c.place is not null),
    (select array_agg(c.wallets) from counted c where c.wallets <> 0 and c.place is not null),
    (select array_agg(b.band order by b.band desc) from changed_bands b),
    (select array_agg(b.change order by b.band desc) from changed_bands b)
  into folded, highest_key, reached_seq, emptied, changed, changed_to, bands, changes
  from extent x;
  if changed is not null then
    perform change_rank_counts(system, changed, changed_to);
  end if;
  if emptied is not null then
    perform remove_rank_counts(system, emptied);
  end if;
  missing_bands := points_band(highest_key >> 6) + 1 - cardinality(from_band);
  if missing_bands > 0 then
    from_band := from_band || array_fill(0, array[missing_bands]);
  end if;
  -- Down to where as many wallets came as went.
  for band in reverse coalesce(bands[1], -1)..0 loop
    if bands[next_change] = band then
      moved_wallets := moved_wallets + changes[next_change];
      next_change := next_change + 1;
    end if;
    exit when moved_wallets = 0 and next_change > cardinality(bands);
    from_band[band + 1] := from_band[band + 1] + moved_wallets;
  end loop;
  update rank_cursors c
  set seq = reached_seq, key_max = highest_key, wallets_from_band = from_band
  where c.point_system_id = system and reached_seq > c.seq;
  if closed_at_seq <= coalesce(reached_seq, counted_to) then
    perform settle_board_window(system);
  end if;
  return case when to_seq < coalesce(closed_at_seq, 9223372036854775807) then entries_max else folded end;
end $$;
