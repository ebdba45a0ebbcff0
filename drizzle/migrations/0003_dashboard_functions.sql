-- Whoever was first runs the installation.
update operators set is_administrator = true
where id = (select id from operators order by created_at, id limit 1);
--> statement-breakpoint
-- What was done stays told.
create function refuse_audit_log_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit_log is append-only: % is refused', lower(tg_op)
    using errcode = 'restrict_violation';
end $$;
--> statement-breakpoint
create trigger audit_log_append_only
  before update or delete or truncate on audit_log
  for each statement execute function refuse_audit_log_change();
--> statement-breakpoint
-- As before, but a key that has expired is none.
create or replace function credit_points(
  token_hashes bytea[], point_system_ids uuid[], trigger_keys text[], addresses bytea[],
  event_ids uuid[], idempotency_keys text[], points_max bigint
) returns table (
  call int, verdict text, api_key_id uuid, points_added int, retry_after_seconds int
)
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_bitmapscan = off set plan_cache_mode = force_generic_plan set jit = off
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
      k.id as key_id, t.points, w.address is null as is_new_wallet,
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
      select * from blacklist where point_system_id = c.point_system_id and address = c.address limit 1
    ) b on true
    left join lateral (
      select * from wallets where point_system_id = c.point_system_id and address = c.address limit 1
    ) w on true
    -- The ten newest credits of (key, wallet, trigger) within the last minute, newest first.
    left join lateral (
      select array_agg(e.created_at) as credits from (
        select e.created_at from point_events e
        where e.point_system_id = c.point_system_id and e.address = c.address
          and e.created_at > credited_at - interval '60 s' and e.voids is null
          and e.event = c.trigger_key and e.api_key_id = k.id
        order by e.created_at desc, e.id desc limit 10
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
    insert into wallets (point_system_id, address, points, events, created_at)
    select point_system_id, address, sum(points), count(*), credited_at
    from credits group by 1, 2 order by 1, 2
    on conflict (point_system_id, address) do update
      set points = wallets.points + excluded.points, events = wallets.events + excluded.events
  ),
  recorded_events as (
    insert into point_events (
      point_system_id, id, address, points, balance, event, created_at, api_key_id, idempotency_key
    )
    select point_system_id, event_id, address, points, balance_after, trigger_key, credited_at,
      key_id, idempotency_key
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
