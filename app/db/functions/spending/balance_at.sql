-- Sums what a wallet had left at a time: its events and its spends until then, the time included. The times of archived
-- events are not known: all of them count at any time.
--
-- It reads the wallet's events by their stretches of time (wallet_time_key), each with its correction, and then what stands
-- here for events of other wallets. Events later than `at` are read too: the file that gave one a time to come may be
-- older than its correction. Each look-up uses its index, whatever the settings and the statistics say.
create or replace function balance_at(system_id uuid, wallet bytea, at timestamptz) returns bigint
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
  stretch bigint;
  last_stretch bigint;
  wallet_key bigint;
  -- The stretches in a row without an event of the wallet.
  empty int := 0;
  earned_then bigint;
  events_then bigint;
  earned bigint;
begin
  -- Corrections and moves of other wallets' events.
  select coalesce(sum(e.points) filter (where e.created_at <= at), 0) into earned
  from point_events e
  where e.point_system_id = system_id and e.address = wallet and e.voids is not null and e.named_address is not null;
  select floor(extract(epoch from e.created_at))::bigint >> 21 into stretch from point_events e
  where e.point_system_id = system_id order by e.point_system_id, e.created_at limit 1;
  select floor(extract(epoch from e.created_at))::bigint >> 21 into last_stretch from point_events e
  where e.point_system_id = system_id order by e.point_system_id desc, e.created_at desc limit 1;
  while stretch <= last_stretch loop
    wallet_key := wallet_time_key(system_id, wallet, to_timestamp(stretch << 21));
    select coalesce(sum(e.points), 0), count(*) into earned_then, events_then
    from (
      select case when e.created_at <= at then e.points else 0 end + coalesce((
        select c.points from point_events c
        where c.point_system_id = system_id and c.voids = e.id and c.address = wallet and c.named_address is null
          and c.created_at <= at
        limit 1
      ), 0) as points
      from point_events e
      where wallet_time_key(e.point_system_id, e.address, e.created_at) >= wallet_key
        and wallet_time_key(e.point_system_id, e.address, e.created_at) <= wallet_key
        and e.point_system_id = system_id and e.address = wallet and e.voids is null
      order by wallet_time_key(e.point_system_id, e.address, e.created_at), e.created_at
      limit 9223372036854775807
    ) e;
    earned := earned + earned_then;
    empty := case when events_then > 0 then 0 else empty + 1 end;
    if empty < 16 then
      stretch := stretch + 1;
    else
      stretch := find_next_stretch(system_id, stretch, true);
      empty := 0;
    end if;
  end loop;
  return earned + coalesce((
    select o.points from opening_balances o where o.point_system_id = system_id and o.address = wallet
  ), 0) - coalesce((
    select sum(s.points) from (
      select s.points from spends s
      where s.point_system_id = system_id and s.address >= wallet and s.address <= wallet and s.created_at <= at
      order by s.point_system_id, s.address, s.created_at
      limit 9223372036854775807
    ) s
  ), 0)::bigint;
end $$;
