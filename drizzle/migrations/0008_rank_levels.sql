-- A rank is read from fewer look-ups and counted with fewer writes than before (docs/decisions/026):
-- above the first byte, 32 buckets make one of the level above instead of 16, and the cursor knows the
-- highest key, above which no level has anything. The counts are made anew by the background job, or
-- by `npm run ledger:rebuild`; until then the wallets ahead are counted one by one.
truncate rank_counts, rank_cursors;
--> statement-breakpoint
drop function rank_levels();
--> statement-breakpoint
-- A level's bucket is key >> shift. Those of one bucket of the level above differ in the bits of
-- `siblings` only: the first byte at level 0, five bits of the points above it.
create function rank_levels() returns table (level smallint, shift int, siblings bigint)
language sql immutable parallel safe as $$
  select * from (values
    (0::smallint, 0, 255::bigint), (1::smallint, 8, 31::bigint), (2::smallint, 13, 31::bigint),
    (3::smallint, 18, 31::bigint), (4::smallint, 23, 31::bigint), (5::smallint, 28, 31::bigint),
    (6::smallint, 33, 31::bigint), (7::smallint, 38, 31::bigint), (8::smallint, 43, 31::bigint),
    (9::smallint, 48, 31::bigint), (10::smallint, 53, 31::bigint), (11::smallint, 58, 31::bigint)
  ) as l(level, shift, siblings)
$$;
--> statement-breakpoint
drop function wallets_ahead(uuid, bigint);
--> statement-breakpoint
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
  counted_to bigint;
  highest bigint;
begin
  select c.seq, c.key_max into counted_to, highest
  from rank_cursors c where c.point_system_id = system;
  if counted_to is not null then
    return 1 + coalesce((
        select sum(c.wallets) from rank_levels() l
        cross join lateral (
          select r.wallets from rank_counts r
          where r.point_system_id = system and r.level = l.level
            and r.bucket > (key >> l.shift) and r.bucket <= ((key >> l.shift) | l.siblings)
          offset 0
        ) c
        where (highest >> l.shift) > (key >> l.shift)
      ), 0) + (
        select count(*) filter (where t.key_after > key) - count(*) filter (where t.key_before > key)
        from rank_tail(system, counted_to, null) t
      ) + (
        select count(*) from wallets w
        where w.point_system_id = system and not w.is_blacklisted and w.points = wallet_points
          and w.address >= substring(wallet_address from 1 for 1) and w.address < wallet_address
      );
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
-- or a lower one, with `ahead` wallets before it, which are never more than board_offset. Walks
-- down the counts to the position that is too high by the tail's length: each entry of the tail
-- moves a boundary by one at the most.
create or replace function find_board_start(
  system uuid, board_offset bigint, out points bigint, out prefix bytea, out ahead bigint
)
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_variable
declare
  counted_to bigint;
  target bigint;
  passed bigint := 0;
  highest bigint;
  top_level int := 0;
  shifts constant int[] := array(select l.shift from rank_levels() l order by l.level);
  siblings constant bigint[] := array(select l.siblings from rank_levels() l order by l.level);
  key bigint := 0;
  found_bucket bigint;
  found_wallets bigint;
begin
  -- Above every wallet, which is right in any case, but slow for a deep page.
  points := 9007199254740992;
  prefix := '';
  ahead := 0;
  select c.seq into counted_to from rank_cursors c where c.point_system_id = system;
  if counted_to is null then
    return;
  end if;
  target := board_offset - (select count(*) from rank_tail(system, counted_to, null));
  if target <= 0 then
    return;
  end if;
  select r.bucket into highest from rank_counts r
  where r.point_system_id = system and r.level = 0
  order by r.bucket desc limit 1;
  -- Arrays count from 1, levels from 0.
  while highest >> shifts[top_level + 1] > siblings[top_level + 1] loop
    top_level := top_level + 1;
  end loop;
  for step in reverse top_level..0 loop
    if step < top_level then
      key := key << (shifts[step + 2] - shifts[step + 1]);
    end if;
    for found_bucket, found_wallets in
      select r.bucket, r.wallets from rank_counts r
      where r.point_system_id = system and r.level = step
        and r.bucket >= key and r.bucket <= (key | siblings[step + 1])
      order by r.bucket desc
    loop
      exit when passed + found_wallets > target;
      passed := passed + found_wallets;
      found_bucket := null;
    end loop;
    if found_bucket is null then
      -- Past the end of the board: there is nothing to read.
      points := -1;
      return;
    end if;
    key := found_bucket;
  end loop;
  points := key >> 8;
  prefix := set_byte('\x00', 0, (255 - (key & 255))::int);
  ahead := passed + (
    select count(*) filter (where t.key_after > key) - count(*) filter (where t.key_before > key)
    from rank_tail(system, counted_to, null) t
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
  entries int;
  emptied tid[];
begin
  select c.seq into counted_to from rank_cursors c
  where c.point_system_id = system for update skip locked;
  if counted_to is null then
    return 0;
  end if;

  with tail as materialized (
    select t.seq, t.key_before, t.key_after,
      -- Not zero, however far it is shifted, where the wallet comes or goes.
      coalesce(t.key_before # t.key_after, -1) as difference
    from rank_tail(system, counted_to, entries_max) t order by t.seq limit entries_max
  ),
  changes as (
    select l.level, v.bucket, v.change
    from tail t
    join rank_levels() l on t.difference >> l.shift <> 0
    cross join lateral (
      values (t.key_before >> l.shift, -1), (t.key_after >> l.shift, 1)
    ) v(bucket, change)
    where v.bucket is not null
  ),
  counted as materialized (
    select d.level, d.bucket, coalesce(c.wallets, 0) + d.change as wallets, c.place
    from (
      select level, bucket, sum(change) as change from changes
      group by level, bucket having sum(change) <> 0
    ) d
    left join lateral (
      select r.wallets, r.ctid as place from rank_counts r
      where r.point_system_id = system and r.level = d.level and r.bucket = d.bucket limit 1
    ) c on true
  ),
  -- By its place: an upsert would look it up once more, and lock it before it changes it.
  changed as (
    update rank_counts r set wallets = c.wallets from counted c
    where r.ctid = c.place and c.wallets <> 0
  ),
  filled as (
    insert into rank_counts (point_system_id, level, bucket, wallets)
    select system, c.level, c.bucket, c.wallets from counted c
    where c.place is null order by c.level, c.bucket
  ),
  forgotten as (
    delete from rank_moves m
    where m.point_system_id = system and m.seq <= (select max(seq) from tail)
  ),
  -- With the whole tail counted, past events that moved nobody as well.
  reached as materialized (
    select greatest(
      (select max(seq) from tail),
      case when (select count(*) from tail) < entries_max then (
        select e.seq from point_events e
        where e.point_system_id = system order by e.seq desc limit 1
      ) end
    ) as seq
  ),
  moved as (
    update rank_cursors c
    set seq = reached.seq, key_max = greatest(c.key_max, (select max(t.key_after) from tail t))
    from reached
    where c.point_system_id = system and reached.seq > c.seq
  )
  select (select count(*) from tail),
    (select array_agg(c.place) from counted c where c.wallets = 0)
  into entries, emptied;
  if emptied is not null then
    perform remove_rank_counts(system, emptied);
  end if;
  return entries;
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
  delete from rank_moves m where m.point_system_id = system and m.seq <= (
    select c.seq from rank_cursors c where c.point_system_id = system
  );
  return true;
end $$;
--> statement-breakpoint
-- As before, but an entry that is there is changed by its place: an upsert would look it up once
-- more, and lock it before it changes it.
create or replace function credit_points(
  token_hashes bytea[], point_system_ids uuid[], trigger_keys text[], addresses bytea[],
  event_ids uuid[], idempotency_keys text[], points_max bigint
) returns table (
  call int, verdict text, api_key_id uuid, points_added int, retry_after_seconds int
)
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_bitmapscan = off set enable_sort = off set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  credited_at timestamptz(3);
begin
  perform lock_ledger(point_system_ids);
  credited_at := date_trunc('milliseconds', clock_timestamp());

  return query
  with calls as (
    select c.* from unnest(
      token_hashes, point_system_ids, trigger_keys, addresses, event_ids, idempotency_keys
    ) with ordinality as c(token_hash, point_system_id, trigger_key, address, event_id, idempotency_key, n)
  ),
  checked as materialized (
    select c.n, c.point_system_id, c.trigger_key, c.address, c.event_id, c.idempotency_key,
      k.id as key_id, t.points, w.address is null as is_new_wallet, w.ctid as wallet_place,
      coalesce(w.points, 0) as balance, first.points as first_points, recent.credits,
      case
        when k.id is null then 'invalid_api_key'
        when k.permission not in ('trigger', 'all') then 'trigger_permission_missing'
        when s.api_key_id is null then 'point_system_out_of_scope'
        when first.id is not null then
          case when (first.point_system_id, first.address, first.event)
            = (c.point_system_id, c.address, c.trigger_key)
          then 'replayed' else 'idempotency_key_reused' end
        when t.key is null then 'trigger_not_found'
        when not t.is_active then 'trigger_inactive'
        when b.address is not null then 'wallet_blacklisted'
      end as refusal
    from calls c
    -- Each look-up stands by itself behind a limit: with its conditions spread over a join, the
    -- planner may use a part of them for the index and filter by the rest.
    left join lateral (
      select * from api_keys
      where token_hash = c.token_hash and (expires_at is null or expires_at > credited_at) limit 1
    ) k on true
    left join lateral (
      select * from api_key_point_systems
      where api_key_id = k.id and point_system_id = c.point_system_id limit 1
    ) s on true
    left join lateral (
      select * from point_events
      where api_key_id = k.id and idempotency_key = c.idempotency_key limit 1
    ) first on true
    left join lateral (
      select * from triggers where point_system_id = c.point_system_id and key = c.trigger_key limit 1
    ) t on true
    left join lateral (
      select * from blacklist
      where point_system_id = c.point_system_id
        and address >= c.address and address <= c.address
      order by address limit 1
    ) b on true
    left join lateral (
      select *, ctid from wallets
      where point_system_id = c.point_system_id and address = c.address limit 1
    ) w on true
    -- The ten newest credits of (key, wallet, trigger) within the last minute, newest first. Two
    -- look-ups have more than one index that begins with the point system. While tables are new, all
    -- look equally cheap: so these say their wallet as a range, in an order that only the right
    -- index has, and sorting is off.
    left join lateral (
      select array_agg(e.created_at) as credits from (
        select e.created_at from point_events e
        where e.point_system_id = c.point_system_id
          and (e.address, e.created_at) > (c.address, credited_at - interval '60 s')
          and e.address <= c.address
          and e.voids is null and e.event = c.trigger_key and e.api_key_id = k.id
        order by e.address desc, e.created_at desc, e.id desc limit 10
      ) e
    ) recent on true
  ),
  -- Calls of one batch count against each other, in their order.
  limited as (
    select c.*, c.refusal is null and coalesce(cardinality(c.credits), 0) + row_number() over (
      partition by c.refusal is null, c.point_system_id, c.address, c.trigger_key, c.key_id order by c.n
    ) <= 10 as is_within_limit
    from checked c
  ),
  bounded as (
    select l.*, l.balance + sum(l.points) filter (where l.is_within_limit) over (
      partition by l.point_system_id, l.address order by l.n
    ) as balance_after
    from limited l
  ),
  judged as materialized (
    select b.*, b.is_within_limit and b.balance_after <= points_max as is_credited from bounded b
  ),
  credits as (
    select * from judged where is_credited
  ),
  credited_wallets as (
    update wallets w set points = w.points + c.points, events = w.events + c.events
    from (
      select wallet_place, sum(points) as points, count(*) as events
      from credits where not is_new_wallet group by 1
    ) c
    where w.ctid = c.wallet_place
  ),
  new_wallets as (
    insert into wallets (point_system_id, address, points, events, created_at)
    select point_system_id, address, sum(points), count(*), credited_at
    from credits where is_new_wallet group by 1, 2 order by 1, 2
  ),
  recorded_events as (
    insert into point_events (
      point_system_id, id, address, points, balance, event, created_at, api_key_id, idempotency_key,
      opens_wallet
    )
    select point_system_id, event_id, address, points, balance_after, trigger_key, credited_at,
      key_id, idempotency_key, nullif(is_new_wallet and balance_after = points, false)
    from credits order by n
  ),
  counted as (
    update point_system_totals t
    set wallets = t.wallets + c.new_wallets, events = t.events + c.new_events
    from (
      select point_system_id, count(*) as new_events,
        count(distinct address) filter (where is_new_wallet) as new_wallets
      from credits group by 1
    ) c
    where t.point_system_id = c.point_system_id
  )
  select j.n::int,
    case
      when j.refusal is not null then j.refusal
      when j.is_credited then 'credited'
      when j.is_within_limit then 'points_limit_reached'
      else 'rate_limit_exceeded'
    end,
    j.key_id,
    coalesce(j.first_points, j.points)::int,
    greatest(1, ceil(extract(epoch from
      coalesce(j.credits[cardinality(j.credits)], credited_at) + interval '60 s' - credited_at
    )))::int
  from judged j;
end $$;
