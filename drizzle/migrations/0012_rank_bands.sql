-- A rank passes over the levels: the cursor knows how many wallets have the points of a band or more,
-- and only the wallets of the same band are added up from the counts (docs/decisions/026). Below 512 a
-- number of points is a band of its own; above it, a band has a sixteenth of the points at the most.
-- And a key has six bits of the address instead of eight, so that fewer counts change.
--
-- Until the end nobody changes wallets, so no move is written with a key as it was.
lock table point_system_totals in exclusive mode;
--> statement-breakpoint
ALTER TABLE "rank_cursors" ADD COLUMN "wallets_from_band" integer[] DEFAULT '{}' NOT NULL;
--> statement-breakpoint
-- Read with every rank: neither compressed nor elsewhere. Below 2^53 points there are 1,216 bands.
alter table rank_cursors alter column wallets_from_band set storage plain;
--> statement-breakpoint
-- A wallet's place on the board without what breaks the ties of the same first six bits: higher is
-- better.
create or replace function board_key(points bigint, address bytea) returns bigint
language sql immutable parallel safe as $$
  select points * 64 + 63 - (get_byte(address, 0) >> 2)
$$;
--> statement-breakpoint
-- A level's bucket is key >> shift. Those of one bucket of the level above differ in the bits of
-- `siblings` only: six bits of the address at level 0, five bits of the points above it.
create or replace function rank_levels() returns table (level smallint, shift int, siblings bigint)
language sql immutable parallel safe as $$
  select * from (values
    (0::smallint, 0, 63::bigint), (1::smallint, 6, 31::bigint), (2::smallint, 11, 31::bigint),
    (3::smallint, 16, 31::bigint), (4::smallint, 21, 31::bigint), (5::smallint, 26, 31::bigint),
    (6::smallint, 31, 31::bigint), (7::smallint, 36, 31::bigint), (8::smallint, 41, 31::bigint),
    (9::smallint, 46, 31::bigint), (10::smallint, 51, 31::bigint), (11::smallint, 56, 31::bigint)
  ) as l(level, shift, siblings)
$$;
--> statement-breakpoint
-- How many low bits of the points do not tell their band: none below 512, five from there on, and one
-- more with each doubling.
create function points_band_bits(points bigint) returns int
language sql immutable parallel safe as $$
  select case when points < 512 then 0 else
    5 + width_bucket(points, array[
      1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576, 2097152,
      4194304, 8388608, 16777216, 33554432, 67108864, 134217728, 268435456, 536870912,
      1073741824, 2147483648, 4294967296, 8589934592, 17179869184, 34359738368, 68719476736,
      137438953472, 274877906944, 549755813888, 1099511627776, 2199023255552, 4398046511104,
      8796093022208, 17592186044416, 35184372088832, 70368744177664, 140737488355328,
      281474976710656, 562949953421312, 1125899906842624, 2251799813685248, 4503599627370496
    ])
  end
$$;
--> statement-breakpoint
-- Sixteen bands between a power of two and the next one from 512 on.
create function points_band(points bigint) returns int
language sql immutable parallel safe as $$
  select case when points < 512 then points::int else
    416 + 16 * points_band_bits(points) + (points >> points_band_bits(points))::int
  end
$$;
--> statement-breakpoint
-- The highest key of the band that a key is in.
create function last_key_of_band(key bigint) returns bigint
language sql immutable parallel safe as $$
  select key | ((1::bigint << 6 + points_band_bits(key >> 6)) - 1)
$$;
--> statement-breakpoint
-- How many wallets there are from each band on, by the counts of level 1, as rank_cursors holds it.
create function sum_bands(system uuid, key_max bigint) returns int[]
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
--> statement-breakpoint
-- Nobody counts meanwhile: adding the column has locked the cursors.
update rank_moves m set key_before = m.key_before >> 2, key_after = m.key_after >> 2;
--> statement-breakpoint
create temporary table tied_wallets on commit drop as
select r.point_system_id, r.bucket >> 2 as bucket, sum(r.wallets)::bigint as wallets
from rank_counts r where r.level = 0
group by 1, 2 order by 1, 2;
--> statement-breakpoint
delete from rank_counts r where r.level = 0;
--> statement-breakpoint
insert into rank_counts (point_system_id, level, bucket, wallets)
select t.point_system_id, 0, t.bucket, t.wallets from tied_wallets t;
--> statement-breakpoint
update rank_cursors c
set key_max = c.key_max >> 2, wallets_from_band = sum_bands(c.point_system_id, c.key_max >> 2);
--> statement-breakpoint
-- A wallet's position on the board, 1 for the best; for a blacklisted one that which it would hold:
-- the wallets of higher bands, the counts of the buckets above its own within its band, level by
-- level, the tail, and those before it among the ties of the same first six bits. Above level 0 there
-- is something to add from 512 points on only. In a lower half the wallets from itself down are
-- subtracted from all, since they are fewer than those above.
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
  is_far_down boolean := key & 32 = 0;
  found_rank bigint;
begin
  select 1 + coalesce(c.wallets_from_band[
      points_band(wallet_points) + 2 - (is_far_down and wallet_points < 512)::int
    ], 0) + coalesce((
      -- One sum of everything: each aggregate that a statement has costs as much as a look-up.
      select sum(a.wallets) from (
        select case when is_far_down then -r.wallets else r.wallets end::int as wallets
        from rank_counts r
        where r.point_system_id = system and r.level = 0
          and r.bucket >= case when is_far_down then wallet_points << 6 else key_below + 1 end
          and r.bucket <= case when is_far_down then key_below else key | 63 end
        union all
        -- The tail, without the order in which it is counted.
        select (board_key(e.balance, e.address) > key_below)::int - (
          e.opens_wallet is null and board_key(e.balance - e.points, e.address) > key_below
        )::int
        from point_events e
        where e.point_system_id = system and e.seq > c.seq and e.api_key_id is not null
        union all
        select coalesce((m.key_after > key_below)::int, 0)
          - coalesce((m.key_before > key_below)::int, 0)
        from rank_moves m
        where m.point_system_id = system and m.seq > c.seq
        union all
        select case when is_low then -1 else 1 end
        from wallets w
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
--> statement-breakpoint
-- Where to begin to read the board for the wallet at board_offset: at the first wallet of this key
-- or a lower one, with `ahead` wallets before it, which are never more than board_offset. Finds the
-- band, and walks down its counts, to the position that is too high by the tail's length: each entry
-- of the tail moves a boundary by one at the most.
create or replace function find_board_start(
  system uuid, board_offset bigint, out points bigint, out prefix bytea, out ahead bigint
)
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_variable
declare
  counted_to bigint;
  from_band int[];
  tail_length bigint;
  target bigint;
  band int := 0;
  higher_band int;
  bits int;
  step int;
  shift int;
  key bigint;
  key_end bigint;
  passed bigint;
begin
  -- Above every wallet, which is right in any case, but slow for a deep page.
  points := 9007199254740992;
  prefix := '';
  ahead := 0;
  select c.seq, c.wallets_from_band, (
      select count(*) from point_events e
      where e.point_system_id = system and e.seq > c.seq and e.api_key_id is not null
    ) + (
      select count(*) from rank_moves m where m.point_system_id = system and m.seq > c.seq
    )
  into counted_to, from_band, tail_length
  from rank_cursors c where c.point_system_id = system;
  target := board_offset - tail_length;
  if target is null or target <= 0 then
    return;
  end if;
  -- The lowest band with no more than `target` wallets in the bands above it.
  higher_band := greatest(cardinality(from_band) - 1, 0);
  while band < higher_band loop
    if from_band[(band + higher_band) / 2 + 2] <= target then
      higher_band := (band + higher_band) / 2;
    else
      band := (band + higher_band) / 2 + 1;
    end if;
  end loop;
  ahead := coalesce(from_band[band + 2], 0);
  -- points_band the other way round.
  bits := case when band < 512 then 0 else (band - 416) / 16 - 1 end;
  key := (case when band < 512 then band else band - 416 - 16 * bits end)::bigint << 6 + bits;
  key_end := key | ((1::bigint << 6 + bits) - 1);
  -- The highest level with more than one bucket of the band, and so down, as rank_levels() says.
  step := (bits + 4) / 5;
  shift := case step when 0 then 0 else 5 * step + 1 end;
  key := key >> shift;
  key_end := key_end >> shift;
  loop
    select f.bucket, f.passed into key, passed from (
      select r.bucket, sum(r.wallets) over w as through,
        (sum(r.wallets) over w - r.wallets)::bigint as passed
      from rank_counts r
      where r.point_system_id = system and r.level = step
        and r.bucket >= key and r.bucket <= key_end
      window w as (order by r.bucket desc rows unbounded preceding)
    ) f
    where f.through > target - ahead
    order by f.bucket desc limit 1;
    if not found then
      -- Past the end of the board: there is nothing to read.
      points := -1;
      ahead := 0;
      return;
    end if;
    ahead := ahead + passed;
    exit when step = 0;
    step := step - 1;
    key := key << case step when 0 then 6 else 5 end;
    key_end := key | case step when 0 then 63 else 31 end;
  end loop;
  points := key >> 6;
  prefix := set_byte('\x00', 0, (63 - (key & 63))::int << 2);
  if tail_length > 0 then
    ahead := ahead + (
      select count(*) filter (where t.key_after > key) - count(*) filter (where t.key_before > key)
      from rank_tail(system, counted_to, null) t
    );
  end if;
end $$;
--> statement-breakpoint
-- The wallets of the board from board_offset on, best first: goes on from near there to the first one
-- by the index alone, and reads no more rows than it answers.
create or replace function list_board_page(system uuid, board_offset bigint, page_rows bigint)
returns table (address bytea, points bigint, events bigint)
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  start_points bigint;
  start_prefix bytea;
  start_ahead bigint;
  first_address bytea;
  passed_over bigint;
  answered bigint := 0;
begin
  select s.points, s.prefix, s.ahead into start_points, start_prefix, start_ahead
  from find_board_start(system, board_offset) s;
  passed_over := board_offset - start_ahead;
  select w.address into first_address from wallets w
  where w.point_system_id = system and not w.is_blacklisted
    and w.points = start_points and w.address >= start_prefix
  order by w.address limit 1 offset passed_over;
  if found then
    return query
    select w.address, w.points, w.events from wallets w
    where w.point_system_id = system and not w.is_blacklisted
      and w.points = start_points and w.address >= first_address
    order by w.address limit page_rows;
    get diagnostics answered = row_count;
    passed_over := 0;
  else
    passed_over := passed_over - (
      select count(*) from wallets w
      where w.point_system_id = system and not w.is_blacklisted
        and w.points = start_points and w.address >= start_prefix
    );
  end if;
  if answered < page_rows then
    return query
    select w.address, w.points, w.events from wallets w
    where w.point_system_id = system and not w.is_blacklisted and w.points < start_points
    order by w.points desc, w.address limit page_rows - answered offset passed_over;
  end if;
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
  from_band int[];
  folded int;
  emptied tid[];
  reached_seq bigint;
  highest_key bigint;
  missing_bands int;
  -- The bands whose wallets have changed, from the highest one down.
  bands int[];
  changes int[];
  next_change int := 1;
  moved_wallets int := 0;
begin
  select c.seq, c.key_max, c.wallets_from_band into counted_to, highest_key, from_band
  from rank_cursors c where c.point_system_id = system for update skip locked;
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
  )
  select x.entries, greatest(highest_key, x.key_max),
    -- With the whole tail counted, past events that moved nobody as well.
    greatest(x.seq, case when x.entries < entries_max then (
      select e.seq from point_events e
      where e.point_system_id = system order by e.seq desc limit 1
    ) end),
    (select array_agg(c.place) from counted c where c.wallets = 0),
    (select array_agg(b.band order by b.band desc) from changed_bands b),
    (select array_agg(b.change order by b.band desc) from changed_bands b)
  into folded, highest_key, reached_seq, emptied, bands, changes
  from extent x;
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
  return folded;
end $$;
--> statement-breakpoint
-- Makes the counts from the wallets, in place of those that there are. Level 0 and the cursor are
-- one statement, hence of one moment; credits and other writers go on, and come after as the tail.
-- Answers false when another one is at it, or there is no such point system.
create or replace function rebuild_ranks(system uuid) returns boolean
language plpgsql volatile set jit = off as $$
#variable_conflict use_variable
declare
  step smallint;
  bits int;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('ranks:' || system::text, 0)) then
    return false;
  end if;
  -- Held, so that it is not deleted meanwhile.
  perform from point_systems p where p.id = system and p.deleted_at is null for key share;
  if not found then
    return false;
  end if;
  delete from rank_cursors c where c.point_system_id = system;
  delete from rank_counts r where r.point_system_id = system;
  with filled as (
    insert into rank_counts (point_system_id, level, bucket, wallets)
    select system, 0, board_key(w.points, w.address), count(*) from wallets w
    where w.point_system_id = system and not w.is_blacklisted
    group by board_key(w.points, w.address)
    -- Neighbours are read together: they should lie together.
    order by board_key(w.points, w.address)
  )
  insert into rank_cursors (point_system_id, key_max, seq)
  select system, coalesce((
    select board_key(w.points, w.address) from wallets w
    where w.point_system_id = system and not w.is_blacklisted
    order by w.points desc, w.address limit 1
  ), -1), greatest(
    (select e.seq from point_events e where e.point_system_id = system order by e.seq desc limit 1),
    (select m.seq from rank_moves m where m.point_system_id = system order by m.seq desc limit 1),
    0);
  for step, bits in
    select l.level, l.shift - below.shift from rank_levels() l
    join rank_levels() below on below.level = l.level - 1
    order by l.level
  loop
    insert into rank_counts (point_system_id, level, bucket, wallets)
    select system, step, r.bucket >> bits, sum(r.wallets) from rank_counts r
    where r.point_system_id = system and r.level = step - 1
    group by r.bucket >> bits order by r.bucket >> bits;
  end loop;
  update rank_cursors c set wallets_from_band = sum_bands(system, c.key_max)
  where c.point_system_id = system;
  delete from rank_moves m where m.point_system_id = system and m.seq <= (
    select c.seq from rank_cursors c where c.point_system_id = system
  );
  return true;
end $$;
--> statement-breakpoint
-- Where a wallet stands in every point system of an API key, at one moment: GET /points. The same
-- position as rank_on_board answers, for all of them in one plan: two hundred calls of that function
-- would cost more than everything else. Only levels are read that the wallet's band has, and on a
-- small board the wallets ahead are counted: that is one look-up in place of many.
--
-- The first row has the answer's version and nothing else. It is known_version as long as nothing
-- of the answer can have changed, and then it is the only row: every change of a point system's
-- ledger or blacklisted wallets writes its row of totals anew, hence with another xmin. It is null
-- where there is no such row to tell.
create or replace function list_standings(key_id uuid, wallet bytea, known_version text)
returns table (
  version text, point_system_id uuid, name text, slug text, points bigint, events bigint, rank bigint,
  participants bigint, is_blacklisted boolean, blacklist_reason text, blacklisted_at timestamptz
)
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  small_board constant bigint := 200;
  current_version text;
  -- As in rank_on_board.
  first_byte constant int := get_byte(wallet, 0);
  is_low constant boolean := first_byte & 2 <> 0;
  ties_from constant bytea := case when is_low then wallet
    else set_byte('\x00', 0, first_byte & 252) end;
  ties_to constant bytea := case when is_low
    then set_byte('\xffffffffffffffffffffffffffffffffffffffffff', 0, first_byte | 3)
    else wallet end;
begin
  select case when bool_and(v.totals is not null) then md5(
    string_agg(concat_ws(' ', v.id, v.system, v.totals, v.entry), ',' order by v.id)
  ) end into current_version
  from (
    select s.point_system_id as id, p.xmin::text as system, t.xmin::text as totals,
      b.xmin::text as entry
    from api_key_point_systems s
    left join lateral (
      select p.xmin from point_systems p where p.id = s.point_system_id limit 1
    ) p on true
    left join lateral (
      select t.xmin from point_system_totals t where t.point_system_id = s.point_system_id limit 1
    ) t on true
    left join lateral (
      select b.xmin from blacklist b
      where b.point_system_id = s.point_system_id and b.address = wallet limit 1
    ) b on true
    where s.api_key_id = key_id
  ) v;
  version := current_version;
  return next;
  if current_version = known_version then
    return;
  end if;
  return query
  with standing as materialized (
    select s.point_system_id, p.name, p.slug, p.created_at, w.points, w.events,
      t.wallets as participants, b.blacklisted_at is not null as is_blacklisted,
      b.reason, b.blacklisted_at, c.seq as counted_to, board_key(w.points, wallet) as key,
      board_key(w.points, wallet) - is_low::int as key_below,
      board_key(w.points, wallet) & 32 = 0 as is_far_down,
      coalesce(c.wallets_from_band[
        points_band(w.points) + 2 - (board_key(w.points, wallet) & 32 = 0 and w.points < 512)::int
      ], 0) as in_higher_bands
    from api_key_point_systems s
    cross join lateral (
      select p.name, p.slug, p.created_at from point_systems p
      where p.id = s.point_system_id and p.deleted_at is null limit 1
    ) p
    left join lateral (
      select w.points, w.events from wallets w
      where w.point_system_id = s.point_system_id and w.address = wallet limit 1
    ) w on true
    left join lateral (
      select b.reason, b.created_at as blacklisted_at from blacklist b
      where b.point_system_id = s.point_system_id and b.address = wallet limit 1
    ) b on true
    left join lateral (
      select t.wallets from point_system_totals t
      where t.point_system_id = s.point_system_id limit 1
    ) t on true
    left join lateral (
      select c.seq, c.wallets_from_band from rank_cursors c
      where c.point_system_id = s.point_system_id limit 1
    ) c on t.wallets > small_board
    where s.api_key_id = key_id and (w.points is not null or b.blacklisted_at is not null)
  )
  select null::text, s.point_system_id, s.name, s.slug, coalesce(s.points, 0), coalesce(s.events, 0),
    case
      when s.points is null then null
      when s.participants <= small_board then 1 + (
        select count(*) from wallets w
        where w.point_system_id = s.point_system_id and not w.is_blacklisted
          and w.points >= s.points and (w.points > s.points or w.address < wallet)
      )
      when s.counted_to is null then rank_on_board(s.point_system_id, s.points, wallet)
      else 1 + s.in_higher_bands
        + coalesce((
          select case when s.is_far_down then -sum(r.wallets) else sum(r.wallets) end
          from rank_counts r
          where r.point_system_id = s.point_system_id and r.level = 0
            and r.bucket >= case when s.is_far_down then s.points << 6 else s.key_below + 1 end
            and r.bucket <= case when s.is_far_down then s.key_below else s.key | 63 end
        ), 0)::bigint
        + case when s.points < 512 then 0 else coalesce((
          select sum(r.wallets) from rank_counts r
          where r.point_system_id = s.point_system_id and r.level = 1
            and r.bucket >= s.points + (not s.is_far_down)::int
            and r.bucket <= least(s.points | 31, last_key_of_band(s.key) >> 6)
        ), 0)::bigint + coalesce((
          select sum(c.wallets) from rank_levels() l
          cross join lateral (
            select r.wallets from rank_counts r
            where r.point_system_id = s.point_system_id and r.level = l.level
              and r.bucket > (s.key >> l.shift) and r.bucket <= least(
                (s.key >> l.shift) | l.siblings, last_key_of_band(s.key) >> l.shift
              )
            offset 0
          ) c
          where l.level > 1 and last_key_of_band(s.key) >> l.shift > s.key >> l.shift
        ), 0)::bigint end
        + (
          select count(*) filter (where t.key_after > s.key_below)
            - count(*) filter (where t.key_before > s.key_below)
          from rank_tail(s.point_system_id, s.counted_to, null) t
        )
        + (
          select case when is_low then -count(*) else count(*) end from wallets w
          where w.point_system_id = s.point_system_id and not w.is_blacklisted
            and w.points = s.points and w.address >= ties_from and w.address < ties_to
        )
    end,
    coalesce(s.participants, 0), s.is_blacklisted, s.reason, s.blacklisted_at
  from standing s
  order by s.created_at, s.point_system_id;
end $$;
