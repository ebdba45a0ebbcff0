-- Checks calls for credit_points, and says what each would add: one row a call, whose `refusal` is the first check that
-- failed, or null. `credits` are the times of the newest credits that count against the trigger limit, newest first.
-- What calls of one statement mean for each other, the caller judges. The caller holds the ledger lock.
--
-- `places_before` says where find_wallet_places found the wallets a while ago, or is null. A wallet whose row stands
-- elsewhere now is looked up.
--
-- The planner puts it into the caller's statement, so it has no settings of its own. The caller's must leave each
-- look-up by an index the only cheap plan.
create or replace function check_calls(
  system_id uuid, token_hashes bytea[], key_places int[], trigger_keys text[], addresses bytea[], idempotency_keys text[],
  requests bytea[], requested_points bigint[], offered_points bigint[], factors numeric[], places_before tid[],
  at timestamptz
) returns table (
  n bigint, trigger_key text, address bytea, key_id uuid, digest bytea, base_points bigint, factor numeric, points bigint,
  is_new_wallet boolean, wallet_place tid, balance bigint, first_points bigint, credits timestamptz[], refusal text
)
language sql stable
as $$
  with keys as materialized (
    select q.n, k.id, k.permission, s.api_key_id is not null as is_in_scope
    from unnest(token_hashes) with ordinality as q(token_hash, n)
    -- Each look-up stands by itself behind a limit: with its conditions spread over a join, the planner may use a part
    -- of them for the index and filter by the rest.
    left join lateral (
      select * from api_keys
      where token_hash = q.token_hash and (expires_at is null or expires_at > at) limit 1
    ) k on true
    left join lateral (
      select * from api_key_point_systems where api_key_id = k.id and point_system_id = system_id limit 1
    ) s on true
  )
  select c.n, c.trigger_key, c.address, k.id as key_id, d.digest, p.base_points, p.factor,
    boost_points(p.base_points, p.factor) as points,
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
      when not p.base_points between t.points_min and t.points_max then 'invalid_points'
      when w.is_blacklisted or b.address is not null then 'wallet_blacklisted'
    end as refusal
  from unnest(
    key_places, trigger_keys, addresses, idempotency_keys, requests, requested_points, offered_points
  ) with ordinality as c(
    key_place, trigger_key, address, idempotency_key, request, requested_points, offered_points, n
  )
  left join keys k on k.n = c.key_place
  cross join lateral (
    select substring(
      sha256(uuid_send(k.id) || uuid_send(system_id) || convert_to(c.idempotency_key, 'UTF8')) for 16
    ) as digest
    offset 0 -- so that it is computed once
  ) d
  left join lateral (
    select request, points from idempotency_records
    where point_system_id = system_id and digest = d.digest and is_credit_kept(system_id, created_at)
    union all
    select request, points from idempotency_records_before
    where point_system_id = system_id and digest = d.digest and is_credit_kept(system_id, created_at)
    limit 1
  ) first on true
  left join lateral (
    select * from triggers where point_system_id = system_id and key = c.trigger_key limit 1
  ) t on true
  cross join lateral (
    select case
      when t.points_min is null then t.points else coalesce(c.requested_points, c.offered_points, t.points)
    end as base_points, factors[c.n] as factor
  ) p
  left join lateral (
    select *, ctid from wallets where ctid = places_before[c.n] and point_system_id = system_id and address = c.address
    union all
    select *, ctid from wallets where point_system_id = system_id and address = c.address
    limit 1
  ) w on true
  -- A wallet's row says whether it is blacklisted. A new one is looked up.
  --
  -- The blacklist and, in recent_credits, the wallet's events have more than one index that begins with the point
  -- system. While tables are new, all look equally cheap: so these say their key in an order that only the right
  -- index has, and sorting is off.
  left join lateral (
    select * from blacklist
    where w.address is null and point_system_id = system_id and address >= c.address and address <= c.address
    order by address limit 1
  ) b on true
  left join lateral recent_credits(system_id, c.address, c.trigger_key, k.id, w.last_credit_at, at) recent on true
$$;
