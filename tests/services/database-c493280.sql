-- A database of commit c493280 with data of its own making, as pg_dump 15 writes it: two point systems with credits,
-- grants, voided events, a fixture and blacklisted wallets. The ranks of one are counted up to a tail; the other has
-- no counts yet. takeover.test.ts reads it.
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA drizzle;
CREATE FUNCTION public.board_key(points bigint, address bytea) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select points * 64 + 63 - (get_byte(address, 0) >> 2)
$$;
CREATE FUNCTION public.change_rank_counts(system uuid, places tid[], counts integer[]) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_indexscan TO 'off'
    SET enable_indexonlyscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
begin
  update rank_counts r set wallets = v.wallets
  from unnest(places, counts) as v(place, wallets)
  where r.point_system_id = system and r.ctid = v.place;
end $$;
CREATE FUNCTION public.credit_points(token_hashes bytea[], point_system_ids uuid[], trigger_keys text[], addresses bytea[], event_ids uuid[], idempotency_keys text[], points_max bigint) RETURNS TABLE(call integer, verdict text, api_key_id uuid, points_added integer, retry_after_seconds integer)
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
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
      select point_system_id, wallet_place, sum(points) as points, count(*) as events
      from credits where not is_new_wallet group by 1, 2
    ) c
    where w.point_system_id = c.point_system_id and w.ctid = c.wallet_place
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
CREATE FUNCTION public.find_board_start(system uuid, board_offset bigint, OUT points bigint, OUT prefix bytea, OUT ahead bigint) RETURNS record
    LANGUAGE plpgsql STABLE
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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
CREATE FUNCTION public.fold_ranks(system uuid, entries_max integer) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
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
  return folded;
end $$;
CREATE FUNCTION public.last_key_of_band(key bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select key | ((1::bigint << 6 + points_band_bits(key >> 6)) - 1)
$$;
CREATE FUNCTION public.list_board_page(system uuid, board_offset bigint, page_rows bigint) RETURNS TABLE(address bytea, points bigint, events bigint)
    LANGUAGE plpgsql STABLE
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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
CREATE FUNCTION public.list_standings(key_id uuid, wallet bytea, known_version text) RETURNS TABLE(version text, point_system_id uuid, name text, slug text, points bigint, events bigint, rank bigint, participants bigint, is_blacklisted boolean, blacklist_reason text, blacklisted_at timestamp with time zone)
    LANGUAGE plpgsql STABLE
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
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
CREATE FUNCTION public.lock_ledger(point_system_ids uuid[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  perform pg_advisory_xact_lock(hashtextextended('ledger:' || id::text, 0))
    from (select distinct id from unnest(point_system_ids) as id where id is not null order by id) as ids;
end $$;
CREATE FUNCTION public.points_band(points bigint) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case when points < 512 then points::int else
    416 + 16 * points_band_bits(points) + (points >> points_band_bits(points))::int
  end
$$;
CREATE FUNCTION public.points_band_bits(points bigint) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
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
CREATE FUNCTION public.rank_levels() RETURNS TABLE(level smallint, shift integer, siblings bigint)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select * from (values
    (0::smallint, 0, 63::bigint), (1::smallint, 6, 31::bigint), (2::smallint, 11, 31::bigint),
    (3::smallint, 16, 31::bigint), (4::smallint, 21, 31::bigint), (5::smallint, 26, 31::bigint),
    (6::smallint, 31, 31::bigint), (7::smallint, 36, 31::bigint), (8::smallint, 41, 31::bigint),
    (9::smallint, 46, 31::bigint), (10::smallint, 51, 31::bigint), (11::smallint, 56, 31::bigint)
  ) as l(level, shift, siblings)
$$;
CREATE FUNCTION public.rank_on_board(system uuid, wallet_points bigint, wallet_address bytea) RETURNS bigint
    LANGUAGE plpgsql STABLE
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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
CREATE FUNCTION public.rank_tail(system uuid, counted_to bigint, entries_max bigint) RETURNS TABLE(seq bigint, key_before bigint, key_after bigint)
    LANGUAGE sql STABLE
    AS $$
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
CREATE FUNCTION public.rebuild_ranks(system uuid) RETURNS boolean
    LANGUAGE plpgsql
    SET jit TO 'off'
    AS $$
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
CREATE FUNCTION public.refuse_audit_log_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  raise exception 'audit_log is append-only: % is refused', lower(tg_op)
    using errcode = 'restrict_violation';
end $$;
CREATE FUNCTION public.refuse_point_event_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if current_setting('ledger.deletes_point_system', true) = 'on' and tg_op = 'DELETE' then
    return null;
  end if;
  raise exception 'point_events is append-only: % is refused', lower(tg_op)
    using errcode = 'restrict_violation';
end $$;
CREATE FUNCTION public.refuse_score_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  raise exception 'a score is never changed once it stands' using errcode = 'restrict_violation';
end $$;
CREATE FUNCTION public.remove_rank_counts(system uuid, places tid[]) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_indexscan TO 'off'
    SET enable_indexonlyscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
begin
  delete from rank_counts r where r.point_system_id = system and r.ctid = any(places);
end $$;
CREATE FUNCTION public.sum_bands(system uuid, key_max bigint) RETURNS integer[]
    LANGUAGE sql STABLE
    AS $$
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
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE drizzle.__drizzle_migrations (
    id integer NOT NULL,
    hash text NOT NULL,
    created_at bigint
);
CREATE SEQUENCE drizzle.__drizzle_migrations_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE drizzle.__drizzle_migrations_id_seq OWNED BY drizzle.__drizzle_migrations.id;
CREATE TABLE public.account_links (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    token_hash bytea NOT NULL,
    kind text NOT NULL,
    operator_id uuid,
    point_system_id uuid,
    role text,
    created_by uuid,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT account_links_kind_known CHECK ((kind = ANY (ARRAY['invitation'::text, 'password_reset'::text]))),
    CONSTRAINT account_links_role_known CHECK ((role = ANY (ARRAY['editor'::text, 'viewer'::text]))),
    CONSTRAINT account_links_terms CHECK ((((kind = 'password_reset'::text) = (operator_id IS NOT NULL)) AND ((point_system_id IS NULL) = (role IS NULL)))),
    CONSTRAINT account_links_token_hash_length CHECK ((octet_length(token_hash) = 32))
);
CREATE TABLE public.airdrop_transactions (
    point_system_id uuid NOT NULL,
    reward_id uuid NOT NULL,
    tx_hash bytea NOT NULL,
    chain_id integer NOT NULL,
    block_number bigint NOT NULL,
    block_hash bytea NOT NULL,
    is_creation boolean NOT NULL,
    is_cancellation boolean NOT NULL,
    refunded_wei numeric(78,0) NOT NULL,
    admin_before bytea,
    is_final boolean DEFAULT false NOT NULL,
    accepted_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    checked_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT airdrop_transactions_block_hash_length CHECK ((octet_length(block_hash) = 32)),
    CONSTRAINT airdrop_transactions_tx_hash_length CHECK ((octet_length(tx_hash) = 32))
);
CREATE TABLE public.airdrops (
    point_system_id uuid NOT NULL,
    reward_id uuid NOT NULL,
    chain_id integer NOT NULL,
    contract_address bytea,
    onchain_id numeric(78,0),
    status text NOT NULL,
    admin_address bytea,
    creation_tx_hash bytea,
    creation_block bigint,
    created_onchain_at timestamp(3) with time zone,
    cancelled_onchain_at timestamp(3) with time zone,
    refunded_wei numeric(78,0) DEFAULT 0 NOT NULL,
    scanned_to_block bigint,
    scanned_at timestamp(3) with time zone,
    CONSTRAINT airdrops_creation_tx_hash_length CHECK ((octet_length(creation_tx_hash) = 32)),
    CONSTRAINT airdrops_onchain_whole CHECK ((((contract_address IS NULL) = (onchain_id IS NULL)) AND ((status <> 'active'::text) OR (onchain_id IS NOT NULL)))),
    CONSTRAINT airdrops_status_known CHECK ((status = ANY (ARRAY['building'::text, 'ready'::text, 'active'::text, 'ended'::text])))
);
CREATE TABLE public.allocations (
    point_system_id uuid NOT NULL,
    reward_id uuid NOT NULL,
    round integer NOT NULL,
    status text NOT NULL,
    total_amount_wei numeric(78,0) NOT NULL,
    bucket_size_chosen integer,
    bucket_size integer,
    snapshot_at timestamp(3) with time zone,
    wallets integer,
    total_weight numeric(78,0),
    wallets_done integer DEFAULT 0 NOT NULL,
    failure text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    built_at timestamp(3) with time zone,
    CONSTRAINT allocations_bucket_size_range CHECK (((bucket_size >= 1) AND (bucket_size <= 1048576))),
    CONSTRAINT allocations_status_known CHECK ((status = ANY (ARRAY['queued'::text, 'allocating'::text, 'building'::text, 'checking'::text, 'built'::text, 'failed'::text])))
);
CREATE TABLE public.api_key_point_systems (
    api_key_id uuid NOT NULL,
    point_system_id uuid NOT NULL
);
CREATE TABLE public.api_keys (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    operator_id uuid NOT NULL,
    name text NOT NULL,
    token_hash bytea NOT NULL,
    last_four text NOT NULL,
    permission text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    expires_at timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone,
    CONSTRAINT api_keys_permission_known CHECK ((permission = ANY (ARRAY['trigger'::text, 'read'::text, 'all'::text]))),
    CONSTRAINT api_keys_token_hash_length CHECK ((octet_length(token_hash) = 32))
);
CREATE TABLE public.audit_log (
    id bigint NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    point_system_id uuid,
    operator_id uuid,
    actor text NOT NULL,
    ip text,
    request_id text,
    action text NOT NULL,
    subject text NOT NULL,
    before jsonb,
    after jsonb,
    CONSTRAINT audit_log_action_shape CHECK ((action ~ '^[a-z_]+\.[a-z_]+$'::text))
);
ALTER TABLE public.audit_log ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.audit_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.blacklist (
    point_system_id uuid NOT NULL,
    address bytea NOT NULL,
    reason text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT blacklist_address_length CHECK ((octet_length(address) = 20))
);
CREATE TABLE public.claim_indexers (
    chain_id integer NOT NULL,
    contract bytea NOT NULL,
    epoch bigint DEFAULT 0 NOT NULL,
    leader text,
    led_since timestamp(3) with time zone,
    alive_at timestamp(3) with time zone,
    start_block bigint DEFAULT '-1'::integer NOT NULL,
    final_block bigint DEFAULT '-1'::integer NOT NULL,
    head_block bigint,
    head_hash bytea,
    head_seen_at timestamp(3) with time zone,
    chain_final_block bigint,
    provider integer DEFAULT 0 NOT NULL,
    succeeded_at timestamp(3) with time zone,
    failed_at timestamp(3) with time zone,
    failure text,
    claims bigint DEFAULT 0 NOT NULL,
    reorgs integer DEFAULT 0 NOT NULL,
    claims_undone integer DEFAULT 0 NOT NULL,
    reconciled_at timestamp(3) with time zone,
    buckets_compared integer DEFAULT 0 NOT NULL,
    buckets_differing integer DEFAULT 0 NOT NULL,
    rescans integer DEFAULT 0 NOT NULL,
    CONSTRAINT claim_indexers_head_whole CHECK (((head_block IS NULL) = (head_hash IS NULL)))
);
CREATE TABLE public.claims (
    chain_id integer NOT NULL,
    contract bytea NOT NULL,
    tx_hash bytea NOT NULL,
    log_index integer NOT NULL,
    block_number bigint NOT NULL,
    block_hash bytea NOT NULL,
    mined_at timestamp(3) with time zone NOT NULL,
    onchain_id numeric(78,0) NOT NULL,
    account bytea NOT NULL,
    amount_wei numeric(78,0) NOT NULL,
    is_final boolean NOT NULL,
    problem text,
    CONSTRAINT claims_block_hash_length CHECK ((octet_length(block_hash) = 32)),
    CONSTRAINT claims_problem_known CHECK ((problem = ANY (ARRAY['no_share'::text, 'amount_differs'::text]))),
    CONSTRAINT claims_tx_hash_length CHECK ((octet_length(tx_hash) = 32))
);
CREATE TABLE public.daily_totals (
    point_system_id uuid NOT NULL,
    day date NOT NULL,
    points bigint DEFAULT 0 NOT NULL,
    events bigint DEFAULT 0 NOT NULL,
    active_wallets bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.daily_trigger_totals (
    point_system_id uuid NOT NULL,
    trigger_key text NOT NULL,
    day date NOT NULL,
    points bigint DEFAULT 0 NOT NULL,
    events bigint DEFAULT 0 NOT NULL,
    last_fired_at timestamp(3) with time zone NOT NULL
);
CREATE TABLE public.distributions (
    point_system_id uuid NOT NULL,
    reward_id uuid NOT NULL,
    address bytea NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    amount_wei numeric(78,0) NOT NULL,
    bucket integer,
    leaf_index integer,
    distributed_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    claimed_at timestamp(3) with time zone,
    claim_tx_hash bytea,
    round integer DEFAULT 0 NOT NULL,
    points bigint,
    CONSTRAINT distributions_address_length CHECK ((octet_length(address) = 20)),
    CONSTRAINT distributions_amount_range CHECK (((amount_wei >= (0)::numeric) AND (amount_wei <= (((2)::numeric ^ (256)::numeric) - (1)::numeric)))),
    CONSTRAINT distributions_claim_tx_hash_length CHECK ((octet_length(claim_tx_hash) = 32)),
    CONSTRAINT distributions_leaf_whole CHECK (((bucket IS NULL) = (leaf_index IS NULL)))
);
CREATE TABLE public.ens_answers (
    question text NOT NULL,
    answer text,
    resolved_at timestamp(3) with time zone,
    failed_at timestamp(3) with time zone,
    keep_until timestamp(3) with time zone NOT NULL,
    CONSTRAINT ens_answers_answer_length CHECK (((length(answer) >= 3) AND (length(answer) <= 255))),
    CONSTRAINT ens_answers_question_length CHECK (((length(question) >= 3) AND (length(question) <= 255))),
    CONSTRAINT ens_answers_resolved CHECK (((answer IS NULL) OR (resolved_at IS NOT NULL)))
);
CREATE TABLE public.gift_card_nonces (
    point_system_id uuid NOT NULL,
    nonce_hash bytea NOT NULL,
    card_id uuid NOT NULL,
    address bytea NOT NULL,
    chain_id integer NOT NULL,
    issued_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT gift_card_nonces_hash_length CHECK ((octet_length(nonce_hash) = 32))
);
CREATE TABLE public.gift_card_reveals (
    point_system_id uuid NOT NULL,
    reward_id uuid NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    card_id uuid NOT NULL,
    address bytea NOT NULL,
    network_hash bytea NOT NULL,
    user_agent text NOT NULL,
    revealed_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT gift_card_reveals_address_length CHECK ((octet_length(address) = 20)),
    CONSTRAINT gift_card_reveals_network_length CHECK ((octet_length(network_hash) = 32))
);
CREATE TABLE public.gift_card_tiers (
    point_system_id uuid NOT NULL,
    reward_id uuid NOT NULL,
    label text NOT NULL,
    "position" integer NOT NULL,
    min_points bigint,
    CONSTRAINT gift_card_tiers_min_points_range CHECK (((min_points >= 1) AND (min_points <= '9007199254740991'::bigint)))
);
CREATE TABLE public.gift_cards (
    point_system_id uuid NOT NULL,
    reward_id uuid NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    tier_label text NOT NULL,
    address bytea,
    code_ciphertext bytea NOT NULL,
    code_nonce bytea NOT NULL,
    code_key_id text NOT NULL,
    is_revealed boolean DEFAULT false NOT NULL,
    distributed_at timestamp(3) with time zone,
    claimed_at timestamp(3) with time zone,
    code_fingerprint bytea,
    CONSTRAINT gift_cards_address_length CHECK ((octet_length(address) = 20)),
    CONSTRAINT gift_cards_fingerprint_length CHECK ((octet_length(code_fingerprint) = 32)),
    CONSTRAINT gift_cards_nonce_length CHECK ((octet_length(code_nonce) = 12))
);
CREATE TABLE public.import_rows (
    point_system_id uuid NOT NULL,
    import_id uuid NOT NULL,
    "position" integer NOT NULL,
    address bytea NOT NULL,
    points bigint NOT NULL,
    event_id uuid,
    CONSTRAINT import_rows_address_length CHECK ((octet_length(address) = 20)),
    CONSTRAINT import_rows_points_range CHECK (((points >= 1) AND (points <= 1000000000)))
);
CREATE TABLE public.imports (
    point_system_id uuid NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    operator_id uuid NOT NULL,
    file_name text NOT NULL,
    csv text NOT NULL,
    has_header boolean NOT NULL,
    delimiter text NOT NULL,
    address_column integer NOT NULL,
    points_column integer NOT NULL,
    status text DEFAULT 'draft'::text NOT NULL,
    note text,
    wallets bigint DEFAULT 0 NOT NULL,
    wallets_done bigint DEFAULT 0 NOT NULL,
    points bigint DEFAULT 0 NOT NULL,
    wallets_skipped bigint DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    committed_at timestamp(3) with time zone,
    undone_at timestamp(3) with time zone,
    CONSTRAINT imports_delimiter_known CHECK ((delimiter = ANY (ARRAY['comma'::text, 'semicolon'::text, 'tab'::text]))),
    CONSTRAINT imports_status_known CHECK ((status = ANY (ARRAY['draft'::text, 'committing'::text, 'committed'::text, 'undoing'::text, 'undone'::text])))
);
CREATE TABLE public.merkle_buckets (
    point_system_id uuid NOT NULL,
    reward_id uuid NOT NULL,
    bucket integer NOT NULL,
    root bytea,
    total_amount_wei numeric(78,0) NOT NULL,
    round integer DEFAULT 0 NOT NULL,
    funded_at timestamp(3) with time zone,
    funding_tx_hash bytea,
    CONSTRAINT merkle_buckets_funding_tx_hash_length CHECK ((octet_length(funding_tx_hash) = 32)),
    CONSTRAINT merkle_buckets_root_length CHECK ((octet_length(root) = 32))
);
CREATE TABLE public.operators (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    password_hash text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    is_administrator boolean DEFAULT false NOT NULL,
    CONSTRAINT operators_email_lowercase CHECK ((email = lower(email)))
);
CREATE TABLE public.point_events (
    point_system_id uuid NOT NULL,
    id uuid NOT NULL,
    seq bigint NOT NULL,
    address bytea NOT NULL,
    points bigint NOT NULL,
    balance bigint NOT NULL,
    event text,
    created_at timestamp(3) with time zone NOT NULL,
    api_key_id uuid,
    idempotency_key text,
    voids uuid,
    operator_id uuid,
    note text,
    import_id uuid,
    opens_wallet boolean,
    CONSTRAINT point_events_address_length CHECK ((octet_length(address) = 20)),
    CONSTRAINT point_events_balance_range CHECK (((balance >= 0) AND (balance <= '9007199254740991'::bigint))),
    CONSTRAINT point_events_correction_shape CHECK (((voids IS NULL) OR (event IS NULL))),
    CONSTRAINT point_events_idempotency_length CHECK (((length(idempotency_key) >= 1) AND (length(idempotency_key) <= 255))),
    CONSTRAINT point_events_note_length CHECK (((length(note) >= 1) AND (length(note) <= 500))),
    CONSTRAINT point_events_points_range CHECK (((
CASE
    WHEN (voids IS NULL) THEN points
    ELSE (- points)
END >= 1) AND (
CASE
    WHEN (voids IS NULL) THEN points
    ELSE (- points)
END <= 1000000000)))
);
ALTER TABLE public.point_events ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.point_events_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.point_system_brands (
    point_system_id uuid NOT NULL,
    public_name text,
    intro text,
    accent_color text,
    logo bytea,
    logo_type text,
    CONSTRAINT point_system_brands_accent_shape CHECK ((accent_color ~ '^#[0-9a-f]{6}$'::text)),
    CONSTRAINT point_system_brands_logo_size CHECK (((octet_length(logo) >= 1) AND (octet_length(logo) <= 65536))),
    CONSTRAINT point_system_brands_logo_type CHECK ((((logo IS NULL) = (logo_type IS NULL)) AND (logo_type = ANY (ARRAY['image/png'::text, 'image/jpeg'::text, 'image/webp'::text]))))
);
CREATE TABLE public.point_system_members (
    point_system_id uuid NOT NULL,
    operator_id uuid NOT NULL,
    role text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT point_system_members_role_known CHECK ((role = ANY (ARRAY['editor'::text, 'viewer'::text])))
);
CREATE TABLE public.point_system_totals (
    point_system_id uuid NOT NULL,
    wallets bigint DEFAULT 0 NOT NULL,
    blacklisted_wallets bigint DEFAULT 0 NOT NULL,
    events bigint DEFAULT 0 NOT NULL,
    CONSTRAINT point_system_totals_range CHECK (((wallets >= blacklisted_wallets) AND (blacklisted_wallets >= 0) AND (events >= 0)))
);
CREATE TABLE public.point_systems (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    operator_id uuid NOT NULL,
    name text NOT NULL,
    short_id text NOT NULL,
    slug text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp(3) with time zone,
    CONSTRAINT point_systems_short_id_shape CHECK ((short_id ~ '^[0-9A-Z]{4}$'::text)),
    CONSTRAINT point_systems_slug_shape CHECK ((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text))
);
CREATE UNLOGGED TABLE public.public_calls (
    network bytea NOT NULL,
    called_at timestamp with time zone[] NOT NULL,
    admitted integer NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT public_calls_network_length CHECK ((octet_length(network) = 32))
);
CREATE TABLE public.rank_counts (
    point_system_id uuid NOT NULL,
    bucket bigint NOT NULL,
    wallets bigint NOT NULL,
    level smallint NOT NULL,
    CONSTRAINT rank_counts_level_range CHECK (((level >= 0) AND (level <= 15))),
    CONSTRAINT rank_counts_wallets_positive CHECK ((wallets > 0))
)
WITH (fillfactor='70');
CREATE TABLE public.rank_cursors (
    point_system_id uuid NOT NULL,
    seq bigint NOT NULL,
    key_max bigint DEFAULT '-1'::integer NOT NULL,
    wallets_from_band integer[] DEFAULT '{}'::integer[] NOT NULL
);
ALTER TABLE ONLY public.rank_cursors ALTER COLUMN wallets_from_band SET STORAGE PLAIN;
CREATE TABLE public.rank_moves (
    point_system_id uuid NOT NULL,
    seq bigint NOT NULL,
    key_before bigint,
    key_after bigint
);
CREATE TABLE public.refused_calls (
    point_system_id uuid NOT NULL,
    hour timestamp(3) with time zone NOT NULL,
    code text NOT NULL,
    calls bigint NOT NULL
);
CREATE TABLE public.rewards (
    point_system_id uuid NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    kind text NOT NULL,
    campaign_id text,
    campaign_name text NOT NULL,
    token_type text,
    token_address bytea,
    token_symbol text,
    token_decimals integer,
    chain_id integer,
    total_amount_wei numeric(78,0),
    min_points bigint DEFAULT 0 NOT NULL,
    max_points bigint,
    status text NOT NULL,
    claim_deadline timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    token_read_at timestamp(3) with time zone,
    deadline_time_zone text,
    published_at timestamp(3) with time zone,
    distributed_at timestamp(3) with time zone,
    cancelled_at timestamp(3) with time zone,
    CONSTRAINT rewards_campaign_id_shape CHECK ((campaign_id ~ '^CMP-[0-9A-Za-z_-]{1,32}$'::text)),
    CONSTRAINT rewards_chain_supported CHECK ((chain_id = ANY (ARRAY[5031, 50312, 8453, 84532]))),
    CONSTRAINT rewards_kind_known CHECK ((kind = ANY (ARRAY['token'::text, 'giftcard'::text]))),
    CONSTRAINT rewards_max_points_range CHECK (((max_points >= 1) AND (max_points <= '9007199254740991'::bigint))),
    CONSTRAINT rewards_min_points_range CHECK (((min_points >= 0) AND (min_points <= '9007199254740991'::bigint))),
    CONSTRAINT rewards_status_known CHECK ((status = ANY (ARRAY['draft'::text, 'active'::text, 'distributed'::text, 'cancelled'::text]))),
    CONSTRAINT rewards_token_decimals_range CHECK (((token_decimals >= 0) AND (token_decimals <= 255))),
    CONSTRAINT rewards_token_terms CHECK (((kind = 'giftcard'::text) OR ((campaign_id IS NOT NULL) AND (token_type IS NOT NULL) AND (token_symbol IS NOT NULL) AND (token_decimals IS NOT NULL) AND (total_amount_wei IS NOT NULL)))),
    CONSTRAINT rewards_token_type_known CHECK ((token_type = ANY (ARRAY['ethereum'::text, 'solana'::text, 'bitcoin'::text, 'usdc'::text, 'usdt'::text, 'custom'::text]))),
    CONSTRAINT rewards_total_amount_range CHECK (((total_amount_wei >= (0)::numeric) AND (total_amount_wei <= (((2)::numeric ^ (256)::numeric) - (1)::numeric))))
);
CREATE TABLE public.score_facts (
    address bytea NOT NULL,
    chain_id bigint NOT NULL,
    nonce bigint NOT NULL,
    has_code boolean NOT NULL,
    transactions bigint NOT NULL,
    first_at timestamp(3) with time zone,
    last_at timestamp(3) with time zone,
    sent_at jsonb NOT NULL,
    fetched_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT score_facts_address_length CHECK ((octet_length(address) = 20)),
    CONSTRAINT score_facts_counts CHECK (((nonce >= 0) AND (transactions >= 0)))
);
CREATE TABLE public.score_provider_budgets (
    provider text NOT NULL,
    next_at timestamp with time zone NOT NULL,
    next_background_at timestamp with time zone NOT NULL,
    day date NOT NULL,
    calls bigint NOT NULL,
    background_calls bigint NOT NULL
);
CREATE TABLE public.score_provider_states (
    provider text NOT NULL,
    chain_id bigint NOT NULL,
    succeeded_at timestamp(3) with time zone,
    failed_at timestamp(3) with time zone,
    failure text
);
CREATE TABLE public.score_signal_runs (
    id integer NOT NULL,
    made_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT score_signal_runs_single CHECK ((id = 1))
);
CREATE TABLE public.score_signals (
    address bytea NOT NULL,
    participation integer NOT NULL,
    rewards_bonus integer NOT NULL,
    operators integer NOT NULL,
    reason_weight double precision NOT NULL,
    CONSTRAINT score_signals_address_length CHECK ((octet_length(address) = 20)),
    CONSTRAINT score_signals_bonus_range CHECK (((rewards_bonus >= 0) AND (rewards_bonus <= 10)))
);
CREATE TABLE public.score_wallets (
    address bytea NOT NULL,
    asked_at timestamp(3) with time zone NOT NULL,
    refresh_at timestamp(3) with time zone NOT NULL,
    lease_id uuid,
    leased_until timestamp(3) with time zone,
    has_primary_name boolean,
    name_checked_at timestamp(3) with time zone,
    CONSTRAINT score_wallets_address_length CHECK ((octet_length(address) = 20))
);
CREATE TABLE public.scores (
    id uuid NOT NULL,
    address bytea NOT NULL,
    computed_at timestamp(3) with time zone NOT NULL,
    algorithm_version integer NOT NULL,
    source text NOT NULL,
    is_complete boolean NOT NULL,
    final_score double precision NOT NULL,
    result jsonb NOT NULL,
    CONSTRAINT scores_address_length CHECK ((octet_length(address) = 20)),
    CONSTRAINT scores_range CHECK (((final_score >= (0)::double precision) AND (final_score <= (100)::double precision))),
    CONSTRAINT scores_source_known CHECK ((source = ANY (ARRAY['engine'::text, 'remote'::text])))
);
CREATE TABLE public.sessions (
    id text NOT NULL,
    operator_id uuid NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    absolute_expires_at timestamp(3) with time zone NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    ip text DEFAULT ''::text NOT NULL,
    user_agent text DEFAULT ''::text NOT NULL,
    CONSTRAINT sessions_expiry_bounded CHECK ((expires_at <= absolute_expires_at)),
    CONSTRAINT sessions_id_is_hash CHECK ((id ~ '^[0-9a-f]{64}$'::text))
);
CREATE TABLE public.set_up_tokens (
    token_hash bytea NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT set_up_tokens_hash_length CHECK ((octet_length(token_hash) = 32))
);
CREATE TABLE public.shared_secrets (
    name text NOT NULL,
    secret bytea NOT NULL,
    CONSTRAINT shared_secrets_length CHECK ((octet_length(secret) = 32))
);
CREATE TABLE public.sign_in_attempts (
    subject bytea NOT NULL,
    attempted_at timestamp with time zone[] NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT sign_in_attempts_subject_length CHECK ((octet_length(subject) = 32))
);
CREATE TABLE public.statistics_cursors (
    point_system_id uuid NOT NULL,
    seq bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.triggers (
    point_system_id uuid NOT NULL,
    key text NOT NULL,
    name text NOT NULL,
    points bigint NOT NULL,
    is_active boolean DEFAULT true NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT triggers_key_shape CHECK ((key ~ '^[a-z0-9_]{1,100}$'::text)),
    CONSTRAINT triggers_points_range CHECK (((points >= 1) AND (points <= 1000000000)))
);
CREATE TABLE public.wallets (
    point_system_id uuid NOT NULL,
    address bytea NOT NULL,
    points bigint DEFAULT 0 NOT NULL,
    events bigint DEFAULT 0 NOT NULL,
    is_blacklisted boolean DEFAULT false NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT wallets_address_length CHECK ((octet_length(address) = 20)),
    CONSTRAINT wallets_events_range CHECK ((events >= 0)),
    CONSTRAINT wallets_points_range CHECK (((points >= 0) AND (points <= '9007199254740991'::bigint)))
);
ALTER TABLE ONLY drizzle.__drizzle_migrations ALTER COLUMN id SET DEFAULT nextval('drizzle.__drizzle_migrations_id_seq'::regclass);
INSERT INTO drizzle.__drizzle_migrations VALUES
	(1, '097e21f414676113576f758d35f857da28fb7726903b702bca64472beee3635b', 1795247635131),
	(2, '3ce1bf10348030a2dcd6a54e750b964536cf27646989e5f9c3944c95d3968b7d', 1795247635950),
	(3, '3b3e079f78226742f83d00e0072e3739cfea8a5f34c9e683ea4d57b98af1df41', 1795253072463),
	(4, '6406461d1f0e249a4adbb76d7c86d7b51b4d643ed6bed459758821d4a3842225', 1795253073197),
	(5, '0fd536d8a88abaf7f9648869135cd2aa295f4e792a189942485bb9c8a80b1f42', 1795255906083),
	(6, 'f82951848636397c08ff9fcba0eaa6047b282b0656c201e445d7ab264fd4ed8f', 1795255909338),
	(7, '58f7600702ec097639b16faba569aaa2901a0dc52a5b938a8af5fa176b2a4a64', 1795271790567),
	(8, '78367a344d25386c98e393def4ca2fdb3703ca7ccca78c32a1ceb5896452e396', 1795271791542),
	(9, '7f663dad093f1d16be9ebc89cd95953e4efe0c73b13ef0393a30385ebf7ff290', 1795271792424),
	(10, 'a027b3747f1d81d2d8329f72955402670a4aca2366c33c4a9d25f1a5395b5dd9', 1795271793404),
	(11, '94211624d7a5db5f7eb3a8be5e0013d04f9ec1e4fcfba2edfaa6695883d17a38', 1795271794665),
	(12, '208ae213fea9a299d44011513e51b543223e639ec465bb28741679441614e777', 1795278318870),
	(13, 'd22167b986a59b5c646b29cd292b646e06d1baabe4eea5f76f18c614a4c86b0b', 1795289337044),
	(14, 'd2f0cfe85117ff40bd089f84f94dd7ce6affd2b5b6f17907ad0ed0ee1e37a4b0', 1795301259430),
	(15, 'b2f2f7abd44ebfd19121f4b218d8d337da20a6b7e513f05f1164175d7eeff6d7', 1795308190780);
INSERT INTO public.api_key_point_systems VALUES
	('2ae2d90d-773c-4367-85b6-343182f9b12b', '285c754d-fcd0-4bf9-bd29-728e43a14fbd'),
	('5a12b30f-2aaa-47ac-af96-2f8cefe24c92', 'a1d257c4-fd61-4c5c-a43e-2d81fd524732');
INSERT INTO public.api_keys VALUES
	('2ae2d90d-773c-4367-85b6-343182f9b12b', '34c250cd-c39b-4021-9417-5de0094b53af', 'backend', '\x5b06a23cd1230e965398ce440d09f85eaef646400876a6e130611f38ba869ca0', 'ca70', 'all', '2026-11-22 05:40:52.882+00', NULL, NULL),
	('5a12b30f-2aaa-47ac-af96-2f8cefe24c92', '04312843-bcb6-42f4-8a5e-0c39dc2a15f4', 'backend', '\xb643c0cc8dcea24c1b0474929e0eb8f89fdd70db7f14181f993f8de1c233f64a', '8705', 'all', '2026-11-22 05:40:53.299+00', NULL, NULL);
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES
	(1, '2026-11-22 05:40:53.155+00', '285c754d-fcd0-4bf9-bd29-728e43a14fbd', '34c250cd-c39b-4021-9417-5de0094b53af', 'c82048b0-b687-4c6b-9e45-2e8d31ffa154@example.com', '192.0.2.7', '3a5fbeae-df7b-47cc-9476-060fbca17db8', 'wallet.grant', '0x0055555555555555555555555555555555555500', NULL, '{"points": 1}'),
	(2, '2026-11-22 05:40:53.17+00', '285c754d-fcd0-4bf9-bd29-728e43a14fbd', '34c250cd-c39b-4021-9417-5de0094b53af', 'c82048b0-b687-4c6b-9e45-2e8d31ffa154@example.com', '192.0.2.7', '3a5fbeae-df7b-47cc-9476-060fbca17db8', 'wallet.grant', '0x005555555555555555555555555555555555557f', NULL, '{"points": 38}'),
	(3, '2026-11-22 05:40:53.177+00', '285c754d-fcd0-4bf9-bd29-728e43a14fbd', '34c250cd-c39b-4021-9417-5de0094b53af', 'c82048b0-b687-4c6b-9e45-2e8d31ffa154@example.com', '192.0.2.7', '3a5fbeae-df7b-47cc-9476-060fbca17db8', 'wallet.grant', '0x0055555555555555555555555555555555555580', NULL, '{"points": 149}'),
	(4, '2026-11-22 05:40:53.184+00', '285c754d-fcd0-4bf9-bd29-728e43a14fbd', '34c250cd-c39b-4021-9417-5de0094b53af', 'c82048b0-b687-4c6b-9e45-2e8d31ffa154@example.com', '192.0.2.7', '3a5fbeae-df7b-47cc-9476-060fbca17db8', 'wallet.grant', '0x00555555555555555555555555555555555555ff', NULL, '{"points": 334}'),
	(5, '2026-11-22 05:40:53.194+00', '285c754d-fcd0-4bf9-bd29-728e43a14fbd', '34c250cd-c39b-4021-9417-5de0094b53af', 'c82048b0-b687-4c6b-9e45-2e8d31ffa154@example.com', '192.0.2.7', '3a5fbeae-df7b-47cc-9476-060fbca17db8', 'wallet.grant', '0x0255555555555555555555555555555555555500', NULL, '{"points": 593}'),
	(6, '2026-11-22 05:40:53.205+00', '285c754d-fcd0-4bf9-bd29-728e43a14fbd', '34c250cd-c39b-4021-9417-5de0094b53af', 'c82048b0-b687-4c6b-9e45-2e8d31ffa154@example.com', '192.0.2.7', '3a5fbeae-df7b-47cc-9476-060fbca17db8', 'wallet.grant', '0x025555555555555555555555555555555555557f', NULL, '{"points": 926}'),
	(7, '2026-11-22 05:40:53.215+00', '285c754d-fcd0-4bf9-bd29-728e43a14fbd', '34c250cd-c39b-4021-9417-5de0094b53af', 'c82048b0-b687-4c6b-9e45-2e8d31ffa154@example.com', '192.0.2.7', '3a5fbeae-df7b-47cc-9476-060fbca17db8', 'wallet.grant', '0x0255555555555555555555555555555555555580', NULL, '{"points": 1333}'),
	(8, '2026-11-22 05:40:53.224+00', '285c754d-fcd0-4bf9-bd29-728e43a14fbd', '34c250cd-c39b-4021-9417-5de0094b53af', 'c82048b0-b687-4c6b-9e45-2e8d31ffa154@example.com', '192.0.2.7', '3a5fbeae-df7b-47cc-9476-060fbca17db8', 'wallet.grant', '0x02555555555555555555555555555555555555ff', NULL, '{"points": 1814}'),
	(9, '2026-11-22 05:40:53.233+00', '285c754d-fcd0-4bf9-bd29-728e43a14fbd', '34c250cd-c39b-4021-9417-5de0094b53af', 'c82048b0-b687-4c6b-9e45-2e8d31ffa154@example.com', '192.0.2.7', '3a5fbeae-df7b-47cc-9476-060fbca17db8', 'event.void', '01a201c5-8b0f-7000-8000-125bcd0aa3c5', '{"event": "points_600", "points": 600, "address": "0x00555555555555555555555555555555555555ff"}', NULL),
	(10, '2026-11-22 05:40:53.241+00', '285c754d-fcd0-4bf9-bd29-728e43a14fbd', '34c250cd-c39b-4021-9417-5de0094b53af', 'c82048b0-b687-4c6b-9e45-2e8d31ffa154@example.com', '192.0.2.7', '3a5fbeae-df7b-47cc-9476-060fbca17db8', 'blacklist.add', '0x025555555555555555555555555555555555557f', NULL, '{"reason": null, "addresses": ["0x025555555555555555555555555555555555557f"]}'),
	(11, '2026-11-22 05:40:53.26+00', '285c754d-fcd0-4bf9-bd29-728e43a14fbd', '34c250cd-c39b-4021-9417-5de0094b53af', 'c82048b0-b687-4c6b-9e45-2e8d31ffa154@example.com', '192.0.2.7', '3a5fbeae-df7b-47cc-9476-060fbca17db8', 'wallet.grant', '0x1234567812345678123456781234567812345678', NULL, '{"points": 600}'),
	(12, '2026-11-22 05:40:53.268+00', '285c754d-fcd0-4bf9-bd29-728e43a14fbd', '34c250cd-c39b-4021-9417-5de0094b53af', 'c82048b0-b687-4c6b-9e45-2e8d31ffa154@example.com', '192.0.2.7', '3a5fbeae-df7b-47cc-9476-060fbca17db8', 'blacklist.add', '0x835555555555555555555555555555555555557f', NULL, '{"reason": null, "addresses": ["0x835555555555555555555555555555555555557f"]}'),
	(13, '2026-11-22 05:40:53.278+00', '285c754d-fcd0-4bf9-bd29-728e43a14fbd', '34c250cd-c39b-4021-9417-5de0094b53af', 'c82048b0-b687-4c6b-9e45-2e8d31ffa154@example.com', '192.0.2.7', '3a5fbeae-df7b-47cc-9476-060fbca17db8', 'event.void', '01a201c5-8b0f-7000-8000-28982ac90990', '{"event": "points_1000", "points": 1000, "address": "0x835555555555555555555555555555555555557f"}', NULL);
INSERT INTO public.blacklist VALUES
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '\x025555555555555555555555555555555555557f', NULL, '2026-11-22 05:40:53.241+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '\x835555555555555555555555555555555555557f', NULL, '2026-11-22 05:40:53.268+00'),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', '\x005555555555555555555555555555555555557f', NULL, '2026-11-22 05:40:53.477+00');
INSERT INTO public.operators VALUES
	('34c250cd-c39b-4021-9417-5de0094b53af', 'c82048b0-b687-4c6b-9e45-2e8d31ffa154@example.com', 'Ops', '$argon2id$v=19$m=19456,t=2,p=1$poIjJFnierNA2mL/bkswig$6mHqe2wv4rQS5C/jUqVXXZUA9waSaEPSbMQ2JTSrOKE', '2026-11-22 05:40:52.882+00', true),
	('04312843-bcb6-42f4-8a5e-0c39dc2a15f4', 'fe6f8888-7399-4c66-a608-a1da190be6e5@example.com', 'Ops', '$argon2id$v=19$m=19456,t=2,p=1$kz4brnvTeOpOhWXmOQ18Gg$PqUAYFZ9d9ouRzDokMbbQiRYB7d7nY4G0vAtqFiU/bU', '2026-11-22 05:40:53.299+00', false);
INSERT INTO public.point_events OVERRIDING SYSTEM VALUE VALUES
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b0f-7000-8000-040e6412b9f2', 1, '\x0055555555555555555555555555555555555500', 1, 1, 'points_1', '2026-11-22 05:40:53.147+00', '2ae2d90d-773c-4367-85b6-343182f9b12b', NULL, NULL, NULL, NULL, NULL, true),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b0f-7000-8000-0b244d00c2e8', 2, '\x005555555555555555555555555555555555557f', 16, 16, 'points_16', '2026-11-22 05:40:53.147+00', '2ae2d90d-773c-4367-85b6-343182f9b12b', NULL, NULL, NULL, NULL, NULL, true),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b0f-7000-8000-0d8324b22625', 3, '\x0055555555555555555555555555555555555580', 255, 255, 'points_255', '2026-11-22 05:40:53.147+00', '2ae2d90d-773c-4367-85b6-343182f9b12b', NULL, NULL, NULL, NULL, NULL, true),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b0f-7000-8000-125bcd0aa3c5', 4, '\x00555555555555555555555555555555555555ff', 600, 600, 'points_600', '2026-11-22 05:40:53.147+00', '2ae2d90d-773c-4367-85b6-343182f9b12b', NULL, NULL, NULL, NULL, NULL, true),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b0f-7000-8000-15f6c07216b1', 5, '\x0255555555555555555555555555555555555500', 1000, 1000, 'points_1000', '2026-11-22 05:40:53.147+00', '2ae2d90d-773c-4367-85b6-343182f9b12b', NULL, NULL, NULL, NULL, NULL, true),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b0f-7000-8000-185c574b491a', 6, '\x025555555555555555555555555555555555557f', 1, 1, 'points_1', '2026-11-22 05:40:53.147+00', '2ae2d90d-773c-4367-85b6-343182f9b12b', NULL, NULL, NULL, NULL, NULL, true),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b0f-7000-8000-1d5b40da60eb', 7, '\x0255555555555555555555555555555555555580', 16, 16, 'points_16', '2026-11-22 05:40:53.147+00', '2ae2d90d-773c-4367-85b6-343182f9b12b', NULL, NULL, NULL, NULL, NULL, true),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b0f-7000-8000-235b84566099', 8, '\x02555555555555555555555555555555555555ff', 255, 255, 'points_255', '2026-11-22 05:40:53.147+00', '2ae2d90d-773c-4367-85b6-343182f9b12b', NULL, NULL, NULL, NULL, NULL, true),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b0f-7000-8000-266607b65b46', 9, '\x8355555555555555555555555555555555555500', 600, 600, 'points_600', '2026-11-22 05:40:53.147+00', '2ae2d90d-773c-4367-85b6-343182f9b12b', NULL, NULL, NULL, NULL, NULL, true),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b0f-7000-8000-28982ac90990', 10, '\x835555555555555555555555555555555555557f', 1000, 1000, 'points_1000', '2026-11-22 05:40:53.147+00', '2ae2d90d-773c-4367-85b6-343182f9b12b', NULL, NULL, NULL, NULL, NULL, true),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b0f-7000-8000-2fcc6a28074d', 11, '\x8355555555555555555555555555555555555580', 1, 1, 'points_1', '2026-11-22 05:40:53.147+00', '2ae2d90d-773c-4367-85b6-343182f9b12b', NULL, NULL, NULL, NULL, NULL, true),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b0f-7000-8000-33f985837565', 12, '\x83555555555555555555555555555555555555ff', 16, 16, 'points_16', '2026-11-22 05:40:53.147+00', '2ae2d90d-773c-4367-85b6-343182f9b12b', NULL, NULL, NULL, NULL, NULL, true),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b0f-7000-8000-36ece9e7c92f', 13, '\xfe55555555555555555555555555555555555500', 255, 255, 'points_255', '2026-11-22 05:40:53.147+00', '2ae2d90d-773c-4367-85b6-343182f9b12b', NULL, NULL, NULL, NULL, NULL, true),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b0f-7000-8000-388e770fefce', 14, '\xfe5555555555555555555555555555555555557f', 600, 600, 'points_600', '2026-11-22 05:40:53.147+00', '2ae2d90d-773c-4367-85b6-343182f9b12b', NULL, NULL, NULL, NULL, NULL, true),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b0f-7000-8000-3e13ba21548d', 15, '\xfe55555555555555555555555555555555555580', 1000, 1000, 'points_1000', '2026-11-22 05:40:53.147+00', '2ae2d90d-773c-4367-85b6-343182f9b12b', NULL, NULL, NULL, NULL, NULL, true),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b0f-7000-8000-400906b62ae3', 16, '\xfe555555555555555555555555555555555555ff', 1, 1, 'points_1', '2026-11-22 05:40:53.147+00', '2ae2d90d-773c-4367-85b6-343182f9b12b', NULL, NULL, NULL, NULL, NULL, true),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b0f-7000-8000-459804f67ed0', 17, '\xff55555555555555555555555555555555555500', 16, 16, 'points_16', '2026-11-22 05:40:53.147+00', '2ae2d90d-773c-4367-85b6-343182f9b12b', NULL, NULL, NULL, NULL, NULL, true),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b0f-7000-8000-490561c409a9', 18, '\xff5555555555555555555555555555555555557f', 255, 255, 'points_255', '2026-11-22 05:40:53.147+00', '2ae2d90d-773c-4367-85b6-343182f9b12b', NULL, NULL, NULL, NULL, NULL, true),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b0f-7000-8000-4e9783008585', 19, '\xff55555555555555555555555555555555555580', 600, 600, 'points_600', '2026-11-22 05:40:53.147+00', '2ae2d90d-773c-4367-85b6-343182f9b12b', NULL, NULL, NULL, NULL, NULL, true),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b0f-7000-8000-53d3c6af89b9', 20, '\xff555555555555555555555555555555555555ff', 1000, 1000, 'points_1000', '2026-11-22 05:40:53.147+00', '2ae2d90d-773c-4367-85b6-343182f9b12b', NULL, NULL, NULL, NULL, NULL, true),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b27-7000-8000-54332c4472fe', 21, '\x0055555555555555555555555555555555555500', 1, 2, NULL, '2026-11-22 05:40:53.159+00', NULL, NULL, NULL, '34c250cd-c39b-4021-9417-5de0094b53af', NULL, NULL, NULL),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b33-7000-8000-59ace40f87a0', 23, '\x005555555555555555555555555555555555557f', 38, 54, NULL, '2026-11-22 05:40:53.171+00', NULL, NULL, NULL, '34c250cd-c39b-4021-9417-5de0094b53af', NULL, NULL, NULL),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b3a-7000-8000-5fe457ba35c5', 25, '\x0055555555555555555555555555555555555580', 149, 404, NULL, '2026-11-22 05:40:53.178+00', NULL, NULL, NULL, '34c250cd-c39b-4021-9417-5de0094b53af', NULL, NULL, NULL),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b42-7000-8000-62c5b257f8fa', 27, '\x00555555555555555555555555555555555555ff', 334, 934, NULL, '2026-11-22 05:40:53.186+00', NULL, NULL, NULL, '34c250cd-c39b-4021-9417-5de0094b53af', NULL, NULL, NULL),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b4b-7000-8000-655efdab0451', 29, '\x0255555555555555555555555555555555555500', 593, 1593, NULL, '2026-11-22 05:40:53.195+00', NULL, NULL, NULL, '34c250cd-c39b-4021-9417-5de0094b53af', NULL, NULL, NULL),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b55-7000-8000-69e604179957', 31, '\x025555555555555555555555555555555555557f', 926, 927, NULL, '2026-11-22 05:40:53.205+00', NULL, NULL, NULL, '34c250cd-c39b-4021-9417-5de0094b53af', NULL, NULL, NULL),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b60-7000-8000-6cffcf770f99', 33, '\x0255555555555555555555555555555555555580', 1333, 1349, NULL, '2026-11-22 05:40:53.216+00', NULL, NULL, NULL, '34c250cd-c39b-4021-9417-5de0094b53af', NULL, NULL, NULL),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b68-7000-8000-70865224426d', 35, '\x02555555555555555555555555555555555555ff', 1814, 2069, NULL, '2026-11-22 05:40:53.225+00', NULL, NULL, NULL, '34c250cd-c39b-4021-9417-5de0094b53af', NULL, NULL, NULL),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b73-7000-8000-7739b2185aa9', 37, '\x00555555555555555555555555555555555555ff', -600, 334, NULL, '2026-11-22 05:40:53.234+00', NULL, NULL, '01a201c5-8b0f-7000-8000-125bcd0aa3c5', '34c250cd-c39b-4021-9417-5de0094b53af', NULL, NULL, NULL),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b89-7000-8000-7b332517762c', 40, '\x0055555555555555555555555555555555555500', 512, 514, 'points_512', '2026-11-22 05:40:53.258+00', '2ae2d90d-773c-4367-85b6-343182f9b12b', NULL, NULL, NULL, NULL, NULL, NULL),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b89-7000-8000-7f9a5b0cf7db', 41, '\x02555555555555555555555555555555555555ff', 512, 2581, 'points_512', '2026-11-22 05:40:53.258+00', '2ae2d90d-773c-4367-85b6-343182f9b12b', NULL, NULL, NULL, NULL, NULL, NULL),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b89-7000-8000-827ee88382a4', 42, '\xff555555555555555555555555555555555555ff', 512, 1512, 'points_512', '2026-11-22 05:40:53.258+00', '2ae2d90d-773c-4367-85b6-343182f9b12b', NULL, NULL, NULL, NULL, NULL, NULL),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8b8e-7000-8000-846f1633ff0c', 43, '\x1234567812345678123456781234567812345678', 600, 600, NULL, '2026-11-22 05:40:53.262+00', NULL, NULL, NULL, '34c250cd-c39b-4021-9417-5de0094b53af', NULL, NULL, NULL),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '01a201c5-8ba2-7000-8000-896130f44f50', 46, '\x835555555555555555555555555555555555557f', -1000, 0, NULL, '2026-11-22 05:40:53.28+00', NULL, NULL, '01a201c5-8b0f-7000-8000-28982ac90990', '34c250cd-c39b-4021-9417-5de0094b53af', NULL, NULL, NULL),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', '01a201c5-8c5a-7000-8000-8f352a276365', 47, '\x0055555555555555555555555555555555555500', 100, 100, NULL, '2026-01-01 00:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', '01a201c5-8c5a-7000-8000-93704ffcf8bf', 48, '\x005555555555555555555555555555555555557f', 101, 101, NULL, '2026-01-02 00:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', '01a201c5-8c5a-7000-8000-95cb61e8b0a6', 49, '\x0055555555555555555555555555555555555580', 100, 100, NULL, '2026-01-03 00:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', '01a201c5-8c5a-7000-8000-9a5a8a752993', 50, '\x00555555555555555555555555555555555555ff', 101, 101, NULL, '2026-01-04 00:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', '01a201c5-8c5a-7000-8000-9ecb9f5724d3', 51, '\x0255555555555555555555555555555555555500', 100, 100, NULL, '2026-01-05 00:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', '01a201c5-8c5a-7000-8000-a07d194c4780', 52, '\x025555555555555555555555555555555555557f', 101, 101, NULL, '2026-01-06 00:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', '01a201c5-8ca9-7000-8000-a5d66018a55a', 62, '\x0055555555555555555555555555555555555580', 31, 131, 'points_31', '2026-11-22 05:40:53.546+00', '5a12b30f-2aaa-47ac-af96-2f8cefe24c92', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.point_system_totals VALUES
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 21, 2, 30),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', 8, 1, 7);
INSERT INTO public.point_systems VALUES
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '34c250cd-c39b-4021-9417-5de0094b53af', 'Alpha', 'EKJS', NULL, '2026-11-22 05:40:52.882+00', NULL),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', '04312843-bcb6-42f4-8a5e-0c39dc2a15f4', 'Alpha', '3ULK', NULL, '2026-11-22 05:40:53.299+00', NULL);
INSERT INTO public.rank_counts VALUES
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 64, 1, 0),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 95, 1, 0),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 191, 1, 0),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 1024, 1, 0),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 1055, 1, 0),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 3519, 1, 0),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 16320, 2, 0),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 21439, 1, 0),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 25919, 1, 0),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 38400, 2, 0),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 38431, 1, 0),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 64000, 2, 0),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 64031, 1, 0),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 86399, 1, 0),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 102015, 1, 0),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 132479, 1, 0),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 1, 2, 1),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 2, 1, 1),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 16, 2, 1),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 54, 1, 1),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 255, 2, 1),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 334, 1, 1),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 404, 1, 1),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 600, 3, 1),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 1000, 3, 1),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 1349, 1, 1),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 1593, 1, 1),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 2069, 1, 1),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 0, 5, 2),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 1, 1, 2),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 7, 2, 2),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 10, 1, 2),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 12, 1, 2),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 18, 3, 2),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 31, 3, 2),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 42, 1, 2),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 49, 1, 2),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 64, 1, 2),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 0, 16, 3),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 1, 2, 3),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 2, 1, 3),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 0, 19, 4),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 0, 19, 5),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 0, 19, 6),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 0, 19, 7),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 0, 19, 8),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 0, 19, 9),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 0, 19, 10),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 0, 19, 11);
INSERT INTO public.rank_cursors VALUES
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 39, 132479, '{19,19,17,16,16,16,16,16,16,16,16,16,16,16,16,16,16,14,14,14,14,14,14,14,14,14,14,14,14,14,14,14,14,14,14,14,14,14,14,14,14,14,14,14,14,14,14,14,14,14,14,14,14,14,14,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,11,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,6,6,6,6,6,6,6,6,6,6,6,6,6,3,3,3,3,3,3,2,2,2,1,1,1,1,1,1,1,1}');
INSERT INTO public.rank_moves VALUES
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 44, NULL, 38459),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 45, 64031, NULL),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', 53, NULL, 6463),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', 54, NULL, 6527),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', 55, NULL, 6463),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', 56, NULL, 6527),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', 57, NULL, 6463),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', 58, NULL, 6527),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', 59, NULL, 31),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', 60, NULL, 31),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', 61, 6527, NULL);
INSERT INTO public.triggers VALUES
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 'daily_login', 'Daily login', 10, true, '2026-11-22 05:40:52.882+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 'points_1', 'points_1', 1, true, '2026-11-22 05:40:52.882+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 'points_2', 'points_2', 2, true, '2026-11-22 05:40:52.882+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 'points_16', 'points_16', 16, true, '2026-11-22 05:40:52.882+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 'points_31', 'points_31', 31, true, '2026-11-22 05:40:52.882+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 'points_255', 'points_255', 255, true, '2026-11-22 05:40:52.882+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 'points_256', 'points_256', 256, true, '2026-11-22 05:40:52.882+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 'points_511', 'points_511', 511, true, '2026-11-22 05:40:52.882+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 'points_512', 'points_512', 512, true, '2026-11-22 05:40:52.882+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 'points_600', 'points_600', 600, true, '2026-11-22 05:40:52.882+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 'points_1000', 'points_1000', 1000, true, '2026-11-22 05:40:52.882+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', 'points_1000000000', 'points_1000000000', 1000000000, true, '2026-11-22 05:40:52.882+00'),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', 'daily_login', 'Daily login', 10, true, '2026-11-22 05:40:53.299+00'),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', 'points_1', 'points_1', 1, true, '2026-11-22 05:40:53.299+00'),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', 'points_2', 'points_2', 2, true, '2026-11-22 05:40:53.299+00'),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', 'points_16', 'points_16', 16, true, '2026-11-22 05:40:53.299+00'),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', 'points_31', 'points_31', 31, true, '2026-11-22 05:40:53.299+00'),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', 'points_255', 'points_255', 255, true, '2026-11-22 05:40:53.299+00'),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', 'points_256', 'points_256', 256, true, '2026-11-22 05:40:53.299+00'),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', 'points_511', 'points_511', 511, true, '2026-11-22 05:40:53.299+00'),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', 'points_512', 'points_512', 512, true, '2026-11-22 05:40:53.299+00'),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', 'points_600', 'points_600', 600, true, '2026-11-22 05:40:53.299+00'),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', 'points_1000', 'points_1000', 1000, true, '2026-11-22 05:40:53.299+00'),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', 'points_1000000000', 'points_1000000000', 1000000000, true, '2026-11-22 05:40:53.299+00');
INSERT INTO public.wallets VALUES
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '\x8355555555555555555555555555555555555500', 600, 1, false, '2026-11-22 05:40:53.147+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '\x8355555555555555555555555555555555555580', 1, 1, false, '2026-11-22 05:40:53.147+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '\x83555555555555555555555555555555555555ff', 16, 1, false, '2026-11-22 05:40:53.147+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '\xfe55555555555555555555555555555555555500', 255, 1, false, '2026-11-22 05:40:53.147+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '\xfe5555555555555555555555555555555555557f', 600, 1, false, '2026-11-22 05:40:53.147+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '\xfe55555555555555555555555555555555555580', 1000, 1, false, '2026-11-22 05:40:53.147+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '\xfe555555555555555555555555555555555555ff', 1, 1, false, '2026-11-22 05:40:53.147+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '\xff55555555555555555555555555555555555500', 16, 1, false, '2026-11-22 05:40:53.147+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '\xff5555555555555555555555555555555555557f', 255, 1, false, '2026-11-22 05:40:53.147+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '\xff55555555555555555555555555555555555580', 600, 1, false, '2026-11-22 05:40:53.147+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '\x005555555555555555555555555555555555557f', 54, 2, false, '2026-11-22 05:40:53.147+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '\x0055555555555555555555555555555555555580', 404, 2, false, '2026-11-22 05:40:53.147+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '\x0255555555555555555555555555555555555500', 1593, 2, false, '2026-11-22 05:40:53.147+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '\x0255555555555555555555555555555555555580', 1349, 2, false, '2026-11-22 05:40:53.147+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '\x00555555555555555555555555555555555555ff', 334, 1, false, '2026-11-22 05:40:53.147+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '\x025555555555555555555555555555555555557f', 927, 2, true, '2026-11-22 05:40:53.147+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '\x02555555555555555555555555555555555555ff', 2581, 3, false, '2026-11-22 05:40:53.147+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '\xff555555555555555555555555555555555555ff', 1512, 2, false, '2026-11-22 05:40:53.147+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '\x0055555555555555555555555555555555555500', 514, 3, false, '2026-11-22 05:40:53.147+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '\x1234567812345678123456781234567812345678', 600, 1, false, '2026-11-22 05:40:53.262+00'),
	('285c754d-fcd0-4bf9-bd29-728e43a14fbd', '\x835555555555555555555555555555555555557f', 0, 0, true, '2026-11-22 05:40:53.147+00'),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', '\x0055555555555555555555555555555555555500', 100, 1, false, '2026-01-01 00:00:00+00'),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', '\x00555555555555555555555555555555555555ff', 101, 1, false, '2026-01-04 00:00:00+00'),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', '\x0255555555555555555555555555555555555500', 100, 1, false, '2026-01-05 00:00:00+00'),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', '\x025555555555555555555555555555555555557f', 101, 1, false, '2026-01-06 00:00:00+00'),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', '\x8355555555555555555555555555555555555580', 0, 0, false, '2026-11-22 05:40:53.477+00'),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', '\x83555555555555555555555555555555555555ff', 0, 0, false, '2026-11-22 05:40:53.477+00'),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', '\x005555555555555555555555555555555555557f', 101, 1, true, '2026-01-02 00:00:00+00'),
	('a1d257c4-fd61-4c5c-a43e-2d81fd524732', '\x0055555555555555555555555555555555555580', 131, 2, false, '2026-01-03 00:00:00+00');
SELECT pg_catalog.setval('drizzle.__drizzle_migrations_id_seq', 15, true);
SELECT pg_catalog.setval('public.audit_log_id_seq', 13, true);
SELECT pg_catalog.setval('public.point_events_seq_seq', 62, true);
ALTER TABLE ONLY drizzle.__drizzle_migrations
    ADD CONSTRAINT __drizzle_migrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.account_links
    ADD CONSTRAINT account_links_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.account_links
    ADD CONSTRAINT account_links_token_hash_unique UNIQUE (token_hash);
ALTER TABLE ONLY public.airdrop_transactions
    ADD CONSTRAINT airdrop_transactions_point_system_id_reward_id_tx_hash_pk PRIMARY KEY (point_system_id, reward_id, tx_hash);
ALTER TABLE ONLY public.airdrops
    ADD CONSTRAINT airdrops_onchain UNIQUE (chain_id, contract_address, onchain_id);
ALTER TABLE ONLY public.airdrops
    ADD CONSTRAINT airdrops_point_system_id_reward_id_pk PRIMARY KEY (point_system_id, reward_id);
ALTER TABLE ONLY public.allocations
    ADD CONSTRAINT allocations_point_system_id_reward_id_round_pk PRIMARY KEY (point_system_id, reward_id, round);
ALTER TABLE ONLY public.api_key_point_systems
    ADD CONSTRAINT api_key_point_systems_api_key_id_point_system_id_pk PRIMARY KEY (api_key_id, point_system_id);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_token_hash_unique UNIQUE (token_hash);
ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.blacklist
    ADD CONSTRAINT blacklist_point_system_id_address_pk PRIMARY KEY (point_system_id, address);
ALTER TABLE ONLY public.claim_indexers
    ADD CONSTRAINT claim_indexers_chain_id_contract_pk PRIMARY KEY (chain_id, contract);
ALTER TABLE ONLY public.claims
    ADD CONSTRAINT claims_chain_id_contract_tx_hash_log_index_pk PRIMARY KEY (chain_id, contract, tx_hash, log_index);
ALTER TABLE ONLY public.daily_totals
    ADD CONSTRAINT daily_totals_point_system_id_day_pk PRIMARY KEY (point_system_id, day);
ALTER TABLE ONLY public.daily_trigger_totals
    ADD CONSTRAINT daily_trigger_totals_point_system_id_trigger_key_day_pk PRIMARY KEY (point_system_id, trigger_key, day);
ALTER TABLE ONLY public.distributions
    ADD CONSTRAINT distributions_id UNIQUE (point_system_id, id);
ALTER TABLE ONLY public.distributions
    ADD CONSTRAINT distributions_leaf UNIQUE (point_system_id, reward_id, bucket, leaf_index);
ALTER TABLE ONLY public.distributions
    ADD CONSTRAINT distributions_point_system_id_reward_id_address_pk PRIMARY KEY (point_system_id, reward_id, address);
ALTER TABLE ONLY public.ens_answers
    ADD CONSTRAINT ens_answers_pkey PRIMARY KEY (question);
ALTER TABLE ONLY public.gift_card_nonces
    ADD CONSTRAINT gift_card_nonces_point_system_id_nonce_hash_pk PRIMARY KEY (point_system_id, nonce_hash);
ALTER TABLE ONLY public.gift_card_reveals
    ADD CONSTRAINT gift_card_reveals_point_system_id_reward_id_id_pk PRIMARY KEY (point_system_id, reward_id, id);
ALTER TABLE ONLY public.gift_card_tiers
    ADD CONSTRAINT gift_card_tiers_min_points UNIQUE (point_system_id, reward_id, min_points);
ALTER TABLE ONLY public.gift_card_tiers
    ADD CONSTRAINT gift_card_tiers_point_system_id_reward_id_label_pk PRIMARY KEY (point_system_id, reward_id, label);
ALTER TABLE ONLY public.gift_cards
    ADD CONSTRAINT gift_cards_id UNIQUE (point_system_id, id);
ALTER TABLE ONLY public.gift_cards
    ADD CONSTRAINT gift_cards_point_system_id_reward_id_id_pk PRIMARY KEY (point_system_id, reward_id, id);
ALTER TABLE ONLY public.import_rows
    ADD CONSTRAINT import_rows_point_system_id_import_id_position_pk PRIMARY KEY (point_system_id, import_id, "position");
ALTER TABLE ONLY public.imports
    ADD CONSTRAINT imports_point_system_id_id_pk PRIMARY KEY (point_system_id, id);
ALTER TABLE ONLY public.merkle_buckets
    ADD CONSTRAINT merkle_buckets_point_system_id_reward_id_bucket_pk PRIMARY KEY (point_system_id, reward_id, bucket);
ALTER TABLE ONLY public.operators
    ADD CONSTRAINT operators_email_unique UNIQUE (email);
ALTER TABLE ONLY public.operators
    ADD CONSTRAINT operators_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.point_events
    ADD CONSTRAINT point_events_point_system_id_id_pk PRIMARY KEY (point_system_id, id);
ALTER TABLE ONLY public.point_system_brands
    ADD CONSTRAINT point_system_brands_pkey PRIMARY KEY (point_system_id);
ALTER TABLE ONLY public.point_system_members
    ADD CONSTRAINT point_system_members_point_system_id_operator_id_pk PRIMARY KEY (point_system_id, operator_id);
ALTER TABLE ONLY public.point_system_totals
    ADD CONSTRAINT point_system_totals_pkey PRIMARY KEY (point_system_id);
ALTER TABLE ONLY public.point_systems
    ADD CONSTRAINT point_systems_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.point_systems
    ADD CONSTRAINT point_systems_short_id_unique UNIQUE (short_id);
ALTER TABLE ONLY public.point_systems
    ADD CONSTRAINT point_systems_slug_unique UNIQUE (slug);
ALTER TABLE ONLY public.public_calls
    ADD CONSTRAINT public_calls_pkey PRIMARY KEY (network);
ALTER TABLE ONLY public.rank_counts
    ADD CONSTRAINT rank_counts_point_system_id_level_bucket_pk PRIMARY KEY (point_system_id, level, bucket);
ALTER TABLE ONLY public.rank_cursors
    ADD CONSTRAINT rank_cursors_pkey PRIMARY KEY (point_system_id);
ALTER TABLE ONLY public.rank_moves
    ADD CONSTRAINT rank_moves_point_system_id_seq_pk PRIMARY KEY (point_system_id, seq);
ALTER TABLE ONLY public.refused_calls
    ADD CONSTRAINT refused_calls_point_system_id_hour_code_pk PRIMARY KEY (point_system_id, hour, code);
ALTER TABLE ONLY public.rewards
    ADD CONSTRAINT rewards_campaign_id_unique UNIQUE (campaign_id);
ALTER TABLE ONLY public.rewards
    ADD CONSTRAINT rewards_point_system_id_id_pk PRIMARY KEY (point_system_id, id);
ALTER TABLE ONLY public.score_facts
    ADD CONSTRAINT score_facts_address_chain_id_pk PRIMARY KEY (address, chain_id);
ALTER TABLE ONLY public.score_provider_budgets
    ADD CONSTRAINT score_provider_budgets_pkey PRIMARY KEY (provider);
ALTER TABLE ONLY public.score_provider_states
    ADD CONSTRAINT score_provider_states_provider_chain_id_pk PRIMARY KEY (provider, chain_id);
ALTER TABLE ONLY public.score_signal_runs
    ADD CONSTRAINT score_signal_runs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.score_signals
    ADD CONSTRAINT score_signals_pkey PRIMARY KEY (address);
ALTER TABLE ONLY public.score_wallets
    ADD CONSTRAINT score_wallets_pkey PRIMARY KEY (address);
ALTER TABLE ONLY public.scores
    ADD CONSTRAINT scores_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.set_up_tokens
    ADD CONSTRAINT set_up_tokens_pkey PRIMARY KEY (token_hash);
ALTER TABLE ONLY public.shared_secrets
    ADD CONSTRAINT shared_secrets_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.sign_in_attempts
    ADD CONSTRAINT sign_in_attempts_pkey PRIMARY KEY (subject);
ALTER TABLE ONLY public.statistics_cursors
    ADD CONSTRAINT statistics_cursors_pkey PRIMARY KEY (point_system_id);
ALTER TABLE ONLY public.triggers
    ADD CONSTRAINT triggers_point_system_id_key_pk PRIMARY KEY (point_system_id, key);
ALTER TABLE ONLY public.wallets
    ADD CONSTRAINT wallets_point_system_id_address_pk PRIMARY KEY (point_system_id, address);
CREATE INDEX account_links_expiry ON public.account_links USING btree (expires_at);
CREATE INDEX account_links_point_system ON public.account_links USING btree (point_system_id);
CREATE INDEX airdrop_transactions_open ON public.airdrop_transactions USING btree (is_final, checked_at);
CREATE INDEX airdrops_onchain_id ON public.airdrops USING btree (chain_id, onchain_id);
CREATE INDEX airdrops_scan ON public.airdrops USING btree (status, scanned_at);
CREATE INDEX api_key_point_systems_point_system ON public.api_key_point_systems USING btree (point_system_id);
CREATE INDEX api_keys_operator ON public.api_keys USING btree (operator_id);
CREATE INDEX audit_log_operator ON public.audit_log USING btree (operator_id, id);
CREATE INDEX audit_log_point_system ON public.audit_log USING btree (point_system_id, id);
CREATE INDEX blacklist_feed ON public.blacklist USING btree (point_system_id, created_at, address);
CREATE INDEX claims_account ON public.claims USING btree (chain_id, contract, onchain_id, account);
CREATE INDEX claims_block ON public.claims USING btree (chain_id, contract, block_number);
CREATE INDEX claims_problem ON public.claims USING btree (chain_id, contract, block_number) WHERE (problem IS NOT NULL);
CREATE INDEX distributions_claimed ON public.distributions USING btree (point_system_id, reward_id, amount_wei) WHERE (claimed_at IS NOT NULL);
CREATE INDEX distributions_wallet ON public.distributions USING btree (point_system_id, address);
CREATE INDEX ens_answers_keep_until ON public.ens_answers USING btree (keep_until);
CREATE INDEX gift_card_nonces_card ON public.gift_card_nonces USING btree (point_system_id, card_id);
CREATE INDEX gift_card_nonces_expiry ON public.gift_card_nonces USING btree (expires_at);
CREATE INDEX gift_card_reveals_card ON public.gift_card_reveals USING btree (point_system_id, card_id, revealed_at);
CREATE INDEX gift_card_reveals_feed ON public.gift_card_reveals USING btree (point_system_id, reward_id, revealed_at, id);
CREATE UNIQUE INDEX gift_cards_fingerprint ON public.gift_cards USING btree (point_system_id, reward_id, code_key_id, code_fingerprint) WHERE (code_fingerprint IS NOT NULL);
CREATE INDEX gift_cards_holder ON public.gift_cards USING btree (point_system_id, reward_id, address, id);
CREATE INDEX gift_cards_recipients ON public.gift_cards USING btree (point_system_id, reward_id, distributed_at, id) WHERE (address IS NOT NULL);
CREATE INDEX gift_cards_wallet ON public.gift_cards USING btree (point_system_id, address);
CREATE INDEX imports_unfinished ON public.imports USING btree (created_at) WHERE (status = ANY (ARRAY['committing'::text, 'undoing'::text]));
CREATE INDEX point_events_feed ON public.point_events USING btree (point_system_id, created_at, id) WHERE (voids IS NULL);
CREATE UNIQUE INDEX point_events_idempotency ON public.point_events USING btree (api_key_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE INDEX point_events_import ON public.point_events USING btree (point_system_id, import_id, seq) WHERE (import_id IS NOT NULL);
CREATE INDEX point_events_seq ON public.point_events USING btree (point_system_id, seq);
CREATE UNIQUE INDEX point_events_voids ON public.point_events USING btree (point_system_id, voids) WHERE (voids IS NOT NULL);
CREATE INDEX point_events_wallet_feed ON public.point_events USING btree (point_system_id, address, created_at, id) WHERE (voids IS NULL);
CREATE INDEX point_system_members_operator ON public.point_system_members USING btree (operator_id);
CREATE INDEX point_systems_deleted ON public.point_systems USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX point_systems_operator ON public.point_systems USING btree (operator_id);
CREATE INDEX public_calls_expiry ON public.public_calls USING btree (expires_at);
CREATE INDEX score_wallets_due ON public.score_wallets USING btree (refresh_at);
CREATE INDEX scores_age ON public.scores USING btree (computed_at);
CREATE INDEX scores_wallet ON public.scores USING btree (address, computed_at);
CREATE INDEX sessions_expiry ON public.sessions USING btree (expires_at);
CREATE INDEX sessions_operator ON public.sessions USING btree (operator_id);
CREATE INDEX sign_in_attempts_expiry ON public.sign_in_attempts USING btree (expires_at);
CREATE INDEX wallets_board ON public.wallets USING btree (point_system_id, points DESC, address) WHERE (NOT is_blacklisted);
CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_audit_log_change();
CREATE TRIGGER point_events_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.point_events FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_point_event_change();
CREATE TRIGGER scores_immutable BEFORE UPDATE ON public.scores FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_score_change();
ALTER TABLE ONLY public.account_links
    ADD CONSTRAINT account_links_created_by_operators_id_fk FOREIGN KEY (created_by) REFERENCES public.operators(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.account_links
    ADD CONSTRAINT account_links_operator_id_operators_id_fk FOREIGN KEY (operator_id) REFERENCES public.operators(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.airdrop_transactions
    ADD CONSTRAINT airdrop_transactions_airdrop FOREIGN KEY (point_system_id, reward_id) REFERENCES public.airdrops(point_system_id, reward_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.airdrops
    ADD CONSTRAINT airdrops_reward FOREIGN KEY (point_system_id, reward_id) REFERENCES public.rewards(point_system_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.allocations
    ADD CONSTRAINT allocations_reward FOREIGN KEY (point_system_id, reward_id) REFERENCES public.rewards(point_system_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.api_key_point_systems
    ADD CONSTRAINT api_key_point_systems_api_key_id_api_keys_id_fk FOREIGN KEY (api_key_id) REFERENCES public.api_keys(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.api_key_point_systems
    ADD CONSTRAINT api_key_point_systems_point_system_id_point_systems_id_fk FOREIGN KEY (point_system_id) REFERENCES public.point_systems(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_operator_id_operators_id_fk FOREIGN KEY (operator_id) REFERENCES public.operators(id);
ALTER TABLE ONLY public.distributions
    ADD CONSTRAINT distributions_reward FOREIGN KEY (point_system_id, reward_id) REFERENCES public.rewards(point_system_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.gift_card_nonces
    ADD CONSTRAINT gift_card_nonces_card FOREIGN KEY (point_system_id, card_id) REFERENCES public.gift_cards(point_system_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.gift_card_reveals
    ADD CONSTRAINT gift_card_reveals_card_fk FOREIGN KEY (point_system_id, card_id) REFERENCES public.gift_cards(point_system_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.gift_card_tiers
    ADD CONSTRAINT gift_card_tiers_reward FOREIGN KEY (point_system_id, reward_id) REFERENCES public.rewards(point_system_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.gift_cards
    ADD CONSTRAINT gift_cards_tier FOREIGN KEY (point_system_id, reward_id, tier_label) REFERENCES public.gift_card_tiers(point_system_id, reward_id, label) ON DELETE CASCADE;
ALTER TABLE ONLY public.merkle_buckets
    ADD CONSTRAINT merkle_buckets_reward FOREIGN KEY (point_system_id, reward_id) REFERENCES public.rewards(point_system_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.point_system_brands
    ADD CONSTRAINT point_system_brands_point_system_id_point_systems_id_fk FOREIGN KEY (point_system_id) REFERENCES public.point_systems(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.point_system_members
    ADD CONSTRAINT point_system_members_operator_id_operators_id_fk FOREIGN KEY (operator_id) REFERENCES public.operators(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.point_system_members
    ADD CONSTRAINT point_system_members_point_system_id_point_systems_id_fk FOREIGN KEY (point_system_id) REFERENCES public.point_systems(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.point_systems
    ADD CONSTRAINT point_systems_operator_id_operators_id_fk FOREIGN KEY (operator_id) REFERENCES public.operators(id);
ALTER TABLE ONLY public.rewards
    ADD CONSTRAINT rewards_point_system_id_point_systems_id_fk FOREIGN KEY (point_system_id) REFERENCES public.point_systems(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_operator_id_operators_id_fk FOREIGN KEY (operator_id) REFERENCES public.operators(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.triggers
    ADD CONSTRAINT triggers_point_system_id_point_systems_id_fk FOREIGN KEY (point_system_id) REFERENCES public.point_systems(id) ON DELETE CASCADE;
