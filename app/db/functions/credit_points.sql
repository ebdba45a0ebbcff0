-- Credits a batch of trigger calls and answers each with a verdict, in one transaction.
--
-- Call n is (token_hashes[n], point_system_ids[n], ...). A null point system or trigger key stands for one
-- that cannot exist. No two calls of a batch may carry the same API key and idempotency key.
--
-- - The order of checks is the order of the verdicts in `checked`; the first that fails is the answer.
-- - Calls of one batch count against each other's trigger limit and points maximum, in their order.
-- - A replayed call answers with the points of the first one and writes nothing.
-- - The event that makes a wallet's entry says so (opens_wallet): the tail of the board needs it.
-- - Every look-up uses an index, whatever the statistics say: a plan made over empty tables is as good as
--   one made at a hundred million rows (docs/decisions/012).
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
