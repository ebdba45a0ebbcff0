-- Credits trigger calls of one point system and answers each with a verdict, in one transaction.
--
-- Call n is (key_places[n], trigger_keys[n], ...). Its API key is token_hashes[key_places[n]]. A null point system or
-- trigger key stands for one that cannot exist: such a call can only be a replay. Of calls with the same API key and
-- idempotency key, one at most may have a trigger key.
-- The arrays from `idempotency_keys` on may be empty: no call has a value there.
--
-- The answer is one row. Element i of its arrays answers call calls[i].
--
-- - A trigger of variable points takes the call's points, or its own. One of fixed points refuses `requested_points`
--   and passes over `offered_points`.
-- - The order of checks is the order of the refusals in check_calls, then the limits; the first that fails is the answer.
-- - Calls count against each other's trigger limit, trigger cap and points maximum, in their order: each has the verdict
--   that it would have alone, after those before it.
-- - A call that is credited, or beyond the trigger limit, says how many calls are left within it, and the seconds
--   until there is room for one more: until the oldest call that counts is a minute old.
-- - A call beyond the trigger's cap says the seconds until its window ends, if it does (judge_in_order, record_in_caps).
-- - A replayed call answers with the points of the first one and writes nothing.
-- - With `is_atomic`, nothing is written unless every call is credited or replayed.
-- - Nothing is written after `too_late_at`: the caller no longer waits. The error's detail is the time of the clock in
--   milliseconds, so that a caller whose clock differs by more than it knew can ask again.
-- - `places_before` says where find_wallet_places found the wallets of the calls a while ago, or is null. The ledger is
--   locked for a shorter time with it.
-- - The event that makes a wallet's entry says so (opens_wallet): the tail of the board needs it.
-- - Each open window of another board counts the credit in the same transaction, and the event says the wallet's points
--   there (board_points), from which the window's tail is read. A wallet without an entry has none in a window either.
-- - While a boost is under way for a call's trigger and wallet, its points are multiplied by the greatest factor, and the
--   event says both. Limits count what is added. Without a boost under way, one look-up says so.
-- - A linked wallet stands for its primary one from the first check on. The event says which wallet was named.
-- - Calls of different wallets, with no window, link, boost or cap, are credited by a shorter statement: what a statement
--   holds costs each call its start, whether it is used or not.
-- - Every look-up uses an index, whatever the statistics say: a plan made over empty tables is as good as
--   one made at a hundred million rows (docs/decisions/012).
create or replace function credit_points(
  system_id uuid, token_hashes bytea[], key_places int[], trigger_keys text[], addresses bytea[],
  event_ids uuid[], idempotency_keys text[], requests bytea[], requested_points bigint[],
  offered_points bigint[], occurred_ats timestamptz[], metadata jsonb[], points_max bigint, too_late_at timestamptz, is_atomic boolean,
  places_before tid[] default null
) returns table (
  calls int[], verdicts text[], api_key_ids uuid[], points_added bigint[], calls_left int[], room_after_seconds int[],
  clock_ms float8
)
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_bitmapscan = off set enable_sort = off set plan_cache_mode = force_generic_plan
set enable_memoize = off set jit = off set lock_timeout = '500ms'
as $$
#variable_conflict use_column
declare
  is_locked boolean;
  credited_at timestamptz(3);
  has_withdrawn boolean;
  -- Few calls have these. A shorter statement credits calls that have none.
  has_windows boolean;
  has_links boolean;
  has_boosts boolean;
  has_caps boolean;
  has_repeated boolean;
  -- The open windows of other boards, each at its place; null when there are none.
  windows uuid[];
  -- The factor of each call's boost; null when no boost is under way.
  factors numeric[];
  -- The linked wallet that a call named, at its place; null when no wallet is linked.
  named bytea[];
  -- What each call's cap has counted so far, at its place; null when no trigger has a cap.
  cap_counts trigger_cap_counts[];
  -- The rows of wallets that the credits change, and what each gains.
  changed tid[];
  points_gained bigint[];
  events_gained bigint[];
begin
  is_locked := lock_ledger(system_id);
  credited_at := date_trunc('milliseconds', clock_timestamp());
  select exists (select from withdrawn_credits where point_system_id = system_id and id = any(event_ids)),
    exists (select from board_windows where point_system_id = system_id and closed_seq is null),
    exists (select from wallet_links where point_system_id = system_id),
    exists (
      select from boosts where point_system_id = system_id and ends_at > credited_at and starts_at <= credited_at
    ),
    exists (
      select from triggers where point_system_id = system_id and key = any(trigger_keys) and cap_id is not null
    ),
    (select count(distinct address) < count(*) from unnest(addresses) as c(address))
  into has_withdrawn, has_windows, has_links, has_boosts, has_caps, has_repeated;
  if has_withdrawn then
    raise exception 'The calls were given up' using errcode = 'query_canceled';
  end if;
  if not (has_windows or has_links or has_boosts or has_caps or has_repeated or is_atomic) then
    -- Each call stands for itself: the wallets differ, and nothing but the point system's totals counts them.
    with checked as materialized (
      select * from check_calls(
        system_id, token_hashes, key_places, trigger_keys, addresses, idempotency_keys, requests, requested_points,
        offered_points, null, places_before, credited_at
      )
    ),
    judged as materialized (
      select c.*, c.balance + c.points as balance_after, coalesce(cardinality(c.credits), 0) as earlier,
        case
          when c.refusal is not null then c.refusal
          when cardinality(c.credits) >= 10 then 'rate_limit_exceeded'
          when c.balance + c.points > points_max then 'points_limit_reached'
          else 'credited'
        end as verdict
      from checked c
    ),
    credits as materialized (select * from judged where verdict = 'credited'),
    new_wallets as (
      insert into wallets (point_system_id, address, points, events, created_at, last_credit_at)
      select system_id, address, points, 1, credited_at, credited_at from credits where is_new_wallet
    ),
    recorded_events as (
      insert into point_events (
        point_system_id, id, address, points, balance, event, created_at, api_key_id, opens_wallet, occurred_at, metadata
      )
      select system_id, event_ids[n], address, points, balance_after, trigger_key, credited_at, key_id,
        nullif(is_new_wallet, false), occurred_ats[n], metadata[n]
      from credits order by n
    ),
    recorded_keys as (
      insert into idempotency_records (point_system_id, digest, request, points, created_at)
      select system_id, digest, requests[n], points, credited_at from credits where digest is not null
    )
    select array_agg(j.n::int), array_agg(j.verdict), array_agg(j.key_id), array_agg(coalesce(j.first_points, j.points)),
      array_agg(case when j.verdict in ('credited', 'rate_limit_exceeded') then greatest(0, 9 - j.earlier) end),
      array_agg(case
        when j.verdict in ('credited', 'rate_limit_exceeded') then
          seconds_until(coalesce(j.credits[j.earlier], credited_at) + interval '60 s', credited_at)
      end),
      array_agg(j.wallet_place) filter (where j.verdict = 'credited' and not j.is_new_wallet),
      array_agg(j.points) filter (where j.verdict = 'credited' and not j.is_new_wallet),
      array_agg(1) filter (where j.verdict = 'credited' and not j.is_new_wallet)
    into calls, verdicts, api_key_ids, points_added, calls_left, room_after_seconds, changed, points_gained, events_gained
    from judged j;
  else
    windows := case when has_windows then list_windows_by_place(system_id, credited_at) end;
    if has_links then
      select r.primaries, r.named into addresses, named from resolve_wallets(system_id, addresses) r;
    end if;
    if has_boosts then
      factors := find_boost_factors(system_id, trigger_keys, addresses, credited_at);
    end if;
    with checked as materialized (
      select * from check_calls(
        system_id, token_hashes, key_places, trigger_keys, addresses, idempotency_keys, requests, requested_points,
        offered_points, factors, places_before, credited_at
      )
    ),
    limited as materialized (
      select c.*, coalesce(cardinality(c.credits), 0) + row_number() over (
        partition by c.refusal is null, c.address, c.trigger_key, c.key_id order by c.n
      ) as place
      from checked c
    ),
    -- Where a call may be refused and a later one credited all the same, calls are judged one after the other, apart from
    -- this statement: what is not in it costs most calls nothing.
    ordered as materialized (
      select o.*
      from (
        select array_agg(refusal order by n) as refusals, array_agg(key_id order by n) as key_ids,
          array_agg(points order by n) as points, array_agg(balance order by n) as balances,
          array_agg(coalesce(cardinality(credits), 0) order by n) as credits
        from limited
        having has_caps or max(balance) + sum(points) > points_max
      ) c
      cross join lateral judge_in_order(
        system_id, c.refusals, trigger_keys, addresses, c.key_ids, c.points, c.balances, c.credits, points_max, credited_at
      ) o
    ),
    decided as (
      select l.*, coalesce(o.places[l.n], l.place) as counted_place,
        coalesce(o.verdicts[l.n], l.refusal, case when l.place > 10 then 'rate_limit_exceeded' else 'credited' end) as verdict
      from limited l left join ordered o on true
    ),
    judged as materialized (
      select d.*, d.balance + sum(d.points) filter (where d.verdict = 'credited') over (
        partition by d.address order by d.n
      ) as balance_after
      from decided d
    ),
    credits as materialized (
      select j.n, j.address, j.points, j.balance_after, j.trigger_key, j.key_id, j.digest,
        nullif(j.is_new_wallet and j.balance_after = j.points, false) as opens_wallet,
        case when j.factor is not null then j.base_points end as base_points, j.factor as boost_factor,
        j.wallet_place || b.places as places, b.points as board_points
      from judged j
      -- Where the wallet stands in each open window.
      cross join lateral (
        select array_agg(w.place) as places,
          array_agg(case when o.id is not null then coalesce(w.points, 0) + j.balance_after - j.balance end) as points
        from unnest(windows) as o(id)
        left join lateral (
          select points, ctid as place from wallets
          where point_system_id = o.id and address = j.address and not j.is_new_wallet limit 1
        ) w on true
      ) b
      where j.verdict = 'credited'
        and not (is_atomic and exists (select from judged where verdict not in ('credited', 'replayed')))
    ),
    -- What each wallet gains on the all-time board and in each open window.
    gains as materialized (
      select unnest(system_id || windows) as board, unnest(places) as place, address, points, events
      from (
        select address, min(places) as places, sum(points) as points, count(*) as events from credits group by address
      ) w
    ),
    new_wallets as (
      insert into wallets (point_system_id, address, points, events, created_at, last_credit_at)
      select board, address, points, events, credited_at, credited_at from gains
      where place is null and board is not null
    ),
    recorded_events as (
      insert into point_events (
        point_system_id, id, address, points, balance, event, created_at, api_key_id, opens_wallet,
        occurred_at, metadata, named_address, base_points, boost_factor, board_points
      )
      select system_id, event_ids[n], address, points, balance_after, trigger_key, credited_at, key_id, opens_wallet,
        occurred_ats[n], metadata[n], named[n], base_points, boost_factor, board_points
      from credits order by n
    ),
    recorded_keys as (
      insert into idempotency_records (point_system_id, digest, request, points, created_at)
      select system_id, digest, requests[n], points, credited_at from credits where digest is not null
    )
    select array_agg(j.n::int), array_agg(j.verdict), array_agg(j.key_id), array_agg(coalesce(j.first_points, j.points)),
      array_agg(case when j.verdict in ('credited', 'rate_limit_exceeded') then greatest(0, 10 - j.counted_place)::int end),
      array_agg(case
        when j.verdict in ('credited', 'rate_limit_exceeded') then
          seconds_until(coalesce(j.credits[cardinality(j.credits)], credited_at) + interval '60 s', credited_at)
        when j.verdict = 'trigger_cap_reached' then (
          select seconds_until(c.ends_at, credited_at) from (select (counts[j.n]).ends_at from ordered) c where isfinite(c.ends_at)
        )
      end),
      (select array_agg(place) from gains where place is not null),
      (select array_agg(points) from gains where place is not null),
      (select array_agg(events) from gains where place is not null),
      (select counts from ordered)
    into calls, verdicts, api_key_ids, points_added, calls_left, room_after_seconds,
      changed, points_gained, events_gained, cap_counts
    from judged j;
    if cap_counts is not null and (verdicts <@ '{credited,replayed}' or not is_atomic) then
      perform record_in_caps(system_id, trigger_keys, calls, verdicts, points_added, cap_counts, credited_at);
    end if;
  end if;
  if changed is not null then
    perform change_wallets(system_id || windows, changed, points_gained, events_gained, credited_at);
  end if;

  if clock_timestamp() > too_late_at then
    raise exception 'The caller no longer waits'
      using errcode = 'query_canceled', detail = extract(epoch from clock_timestamp()) * 1000;
  end if;
  clock_ms := extract(epoch from credited_at)::float8 * 1000;
  return next;
end $$;
