-- Says the next changes of wallets' tiers to the webhooks that listen, once each: the events of the ledger between whose
-- balances before and after the least points of a tier lie. Answers how many events were passed; 0 also when another
-- session does so. A wallet whose points moved to a primary one has that one's tier: its loss is not said. Where no webhook listens, all events are passed at once.
create or replace function fold_tiers(system uuid, entries_max int) returns int
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_bitmapscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_variable
declare
  subjects_max constant int := 100;
  said_seq bigint;
  folded int;
  reached_seq bigint;
begin
  select c.seq into said_seq
  from tier_cursors c join point_systems p on p.id = c.point_system_id and p.deleted_at is null
  where c.point_system_id = system for update of c skip locked;
  if said_seq is null then
    return 0;
  end if;
  if not exists (
    select from webhook_endpoints e where e.point_system_id = system and 'wallet.tier_changed' = any(e.event_types)
  ) then
    update tier_cursors c set seq = greatest(c.seq, coalesce((
      select e.seq from point_events e where e.point_system_id = system order by e.seq desc limit 1
    ), 0))
    where c.point_system_id = system;
    return 0;
  end if;
  select count(*)::int, max(t.seq) into folded, reached_seq from (
    select e.seq from point_events e
    where e.point_system_id = system and e.seq > said_seq order by e.seq limit entries_max
  ) t;
  if folded = 0 then
    return 0;
  end if;

  perform say_webhook_events(system, 'wallet.tier_changed', array_agg(b.data order by b.batch))
  from (
    select n.batch, jsonb_build_object('wallets', jsonb_agg(n.wallet order by n.seq)) as data
    from (
      select e.seq, (row_number() over (order by e.seq) - 1) / subjects_max as batch, jsonb_build_object(
        'address', '0x' || encode(e.address, 'hex'),
        'from', (
          select t.name from tiers t
          where t.point_system_id = system and t.points_min <= e.balance - e.points order by t.points_min desc limit 1
        ),
        'to', (
          select t.name from tiers t
          where t.point_system_id = system and t.points_min <= e.balance order by t.points_min desc limit 1
        ),
        'points', e.balance
      ) as wallet
      from point_events e
      where e.point_system_id = system and e.seq > said_seq and e.seq <= reached_seq
        and coalesce(e.moved_events, 0) >= 0 and exists (
        select from tiers t
        where t.point_system_id = system and t.points_min > least(e.balance, e.balance - e.points)
          and t.points_min <= greatest(e.balance, e.balance - e.points)
      )
    ) n
    group by n.batch
  ) b
  having count(*) > 0;
  update tier_cursors c set seq = reached_seq where c.point_system_id = system;
  return folded;
end $$;
