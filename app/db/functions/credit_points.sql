-- Credits trigger calls of one point system and answers each with a verdict, in one transaction.
--
-- Call n is (key_places[n], trigger_keys[n], ...). Its API key is token_hashes[key_places[n]]. A null point system or
-- trigger key stands for one that cannot exist. No two calls may carry the same API key and idempotency key.
-- The arrays from `idempotency_keys` on may be empty: no call has a value there.
--
-- - A trigger of variable points takes the call's points, or its own. One of fixed points refuses `requested_points`
--   and passes over `offered_points`.
-- - The order of checks is the order of the verdicts in `checked`; the first that fails is the answer.
-- - Calls count against each other's trigger limit and points maximum, in their order. After a call that the points
--   maximum refuses, the wallet's later calls get the verdict `ask_again`: alone, they are judged exactly.
-- - A replayed call answers with the points of the first one and writes nothing.
-- - With `is_atomic`, nothing is written unless every call is credited or replayed.
-- - Nothing is written after `too_late_at`: the caller no longer waits.
-- - The event that makes a wallet's entry says so (opens_wallet): the tail of the board needs it.
-- - Every look-up uses an index, whatever the statistics say: a plan made over empty tables is as good as
--   one made at a hundred million rows (docs/decisions/012).
create or replace function credit_points(
  system_id uuid, token_hashes bytea[], key_places int[], trigger_keys text[], addresses bytea[],
  event_ids uuid[], idempotency_keys text[], requests bytea[], requested_points bigint[],
  offered_points bigint[], occurred_ats timestamptz[], metadata jsonb[], points_max bigint, too_late_at timestamptz, is_atomic boolean
) returns table (
  call int, verdict text, api_key_id uuid, points_added int, retry_after_seconds int, clock_ms float8
)
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_bitmapscan = off set enable_sort = off set plan_cache_mode = force_generic_plan
set jit = off set lock_timeout = '500ms'
as $$
#variable_conflict use_column
declare
  is_locked boolean;
  credited_at timestamptz(3);
begin
  is_locked := lock_ledger(system_id);
  credited_at := date_trunc('milliseconds', clock_timestamp());

  return query
  with keys as materialized (
    select q.n, k.id, k.permission, s.api_key_id is not null as is_in_scope
    from unnest(token_hashes) with ordinality as q(token_hash, n)
    -- Each look-up stands by itself behind a limit: with its conditions spread over a join, the
    -- planner may use a part of them for the index and filter by the rest.
    left join lateral (
      select * from api_keys
      where token_hash = q.token_hash and (expires_at is null or expires_at > credited_at) limit 1
    ) k on true
    left join lateral (
      select * from api_key_point_systems
      where api_key_id = k.id and point_system_id = system_id limit 1
    ) s on true
  ),
  calls as (
    select c.* from unnest(
      key_places, trigger_keys, addresses, event_ids, idempotency_keys, requests, requested_points,
      offered_points, occurred_ats, metadata
    ) with ordinality as c(
      key_place, trigger_key, address, event_id, idempotency_key, request, requested_points, offered_points,
      occurred_at, metadata, n
    )
  ),
  checked as materialized (
    select c.n, c.trigger_key, c.address, c.event_id, c.request, c.occurred_at, c.metadata,
      k.id as key_id, d.digest, p.points,
      w.address is null as is_new_wallet, w.ctid as wallet_place, coalesce(w.points, 0) as balance,
      first.points as first_points, recent.credits,
      case
        when k.id is null then 'invalid_api_key'
        when k.permission not in ('trigger', 'all') then 'trigger_permission_missing'
        when not k.is_in_scope then 'point_system_out_of_scope'
        when first.request = c.request then 'replayed'
        when first.request is not null then 'idempotency_key_reused'
        when t.key is null then 'trigger_not_found'
        when not t.is_active then 'trigger_inactive'
        when t.points_min is null and c.requested_points is not null then 'invalid_points'
        when not p.points between t.points_min and t.points_max then 'invalid_points'
        when b.address is not null then 'wallet_blacklisted'
      end as refusal
    from calls c
    left join keys k on k.n = c.key_place
    cross join lateral (
      select substring(
        sha256(uuid_send(k.id) || uuid_send(system_id) || convert_to(c.idempotency_key, 'UTF8')) for 16
      ) as digest
    ) d
    left join lateral (
      select request, points from idempotency_records
      where point_system_id = system_id and digest = d.digest
      union all
      select request, points from idempotency_records_before
      where point_system_id = system_id and digest = d.digest
      limit 1
    ) first on true
    left join lateral (
      select * from triggers where point_system_id = system_id and key = c.trigger_key limit 1
    ) t on true
    cross join lateral (
      select case
        when t.points_min is null then t.points else coalesce(c.requested_points, c.offered_points, t.points)
      end as points
    ) p
    left join lateral (
      select * from blacklist
      where point_system_id = system_id and address >= c.address and address <= c.address
      order by address limit 1
    ) b on true
    left join lateral (
      select *, ctid from wallets where point_system_id = system_id and address = c.address limit 1
    ) w on true
    -- The ten newest credits of (key, wallet, trigger) within the last minute, newest first. Two
    -- look-ups have more than one index that begins with the point system. While tables are new, all
    -- look equally cheap: so these say their wallet as a range, in an order that only the right
    -- index has, and sorting is off.
    left join lateral (
      select array_agg(e.created_at) as credits from (
        select e.created_at from point_events e
        where e.point_system_id = system_id
          and (e.address, e.created_at) > (c.address, credited_at - interval '60 s')
          and e.address <= c.address
          and e.voids is null and e.event = c.trigger_key and e.api_key_id = k.id
        order by e.address desc, e.created_at desc, e.id desc limit 10
      ) e
    ) recent on true
  ),
  -- Calls count against each other, in their order.
  limited as (
    select c.*, c.refusal is null and coalesce(cardinality(c.credits), 0) + row_number() over (
      partition by c.refusal is null, c.address, c.trigger_key, c.key_id order by c.n
    ) <= 10 as is_within_limit
    from checked c
  ),
  bounded as (
    select l.*, l.balance + sum(l.points) filter (where l.is_within_limit) over (
      partition by l.address order by l.n
    ) as balance_after
    from limited l
  ),
  -- The sum of a wallet only grows: the first call beyond the maximum is the one that has just passed it.
  judged as materialized (
    select b.*, b.is_within_limit and b.balance_after <= points_max as is_credited,
      case
        when b.refusal is not null then b.refusal
        when b.balance_after - case when b.is_within_limit then b.points else 0 end > points_max then 'ask_again'
        when not b.is_within_limit then 'rate_limit_exceeded'
        when b.balance_after > points_max then 'points_limit_reached'
        else 'credited'
      end as verdict
    from bounded b
  ),
  credits as (
    select * from judged
    where is_credited and not (
      is_atomic and exists (select from judged where verdict not in ('credited', 'replayed'))
    )
  ),
  credited_wallets as (
    update wallets w set points = w.points + c.points, events = w.events + c.events
    from (
      select wallet_place, sum(points) as points, count(*) as events
      from credits where not is_new_wallet group by 1
    ) c
    where w.point_system_id = system_id and w.ctid = c.wallet_place
  ),
  new_wallets as (
    insert into wallets (point_system_id, address, points, events, created_at)
    select system_id, address, sum(points), count(*), credited_at
    from credits where is_new_wallet group by address order by address
  ),
  recorded_events as (
    insert into point_events (
      point_system_id, id, address, points, balance, event, created_at, api_key_id, opens_wallet,
      occurred_at, metadata
    )
    select system_id, event_id, address, points, balance_after, trigger_key, credited_at, key_id,
      nullif(is_new_wallet and balance_after = points, false), occurred_at, metadata
    from credits order by n
  ),
  recorded_keys as (
    insert into idempotency_records (point_system_id, digest, request, points, created_at)
    select system_id, digest, request, points, credited_at from credits where digest is not null
  ),
  counted as (
    update point_system_totals t
    set wallets = t.wallets + c.new_wallets, events = t.events + c.new_events
    from (
      select count(*) as new_events, count(distinct address) filter (where is_new_wallet) as new_wallets
      from credits
    ) c
    where t.point_system_id = system_id and c.new_events > 0
  )
  select j.n::int, j.verdict, j.key_id, coalesce(j.first_points, j.points)::int,
    greatest(1, ceil(extract(epoch from
      coalesce(j.credits[cardinality(j.credits)], credited_at) + interval '60 s' - credited_at
    )))::int,
    extract(epoch from credited_at)::float8 * 1000
  from judged j;

  if clock_timestamp() > too_late_at then
    raise exception 'The caller no longer waits' using errcode = 'query_canceled';
  end if;
end $$;
