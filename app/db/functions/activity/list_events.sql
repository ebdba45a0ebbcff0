-- Lists the events of a wallet, or of a point system when `wallet` is null, beyond a place: newest first, or oldest
-- first when `is_upwards`; ties by id. Corrections are left out, and the events that they void unless `with_voided`. The list ends with `until_at`: the earliest time,
-- or upwards the time before which its events lie. Rows of a wallet are skipped when newest first.
--
-- For a wallet, it reads one stretch of time after the other (wallet_time_key), by index, whatever the settings and the statistics
-- say: each order is one that only the right index has. Rows that are skipped are counted one by one. After 16 stretches in
-- a row in which it lists nothing, it goes on where the point system has an event (find_next_stretch).
create or replace function list_events(
  system uuid, wallet bytea, from_at timestamptz, from_id uuid, until_at timestamptz, is_upwards boolean,
  with_voided boolean, skipped bigint, rows_max int
) returns setof point_events
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  -- The times between which events lie: `high` itself is excluded, unless it is the place's.
  low timestamptz := case when is_upwards then from_at else until_at end;
  high timestamptz := case when is_upwards then until_at else from_at end;
  stretch bigint;
  last_stretch bigint;
  step constant int := case when is_upwards then 1 else -1 end;
  -- The stretches in a row in which nothing was listed or counted.
  empty int := 0;
  wallet_key bigint;
  passed bigint;
  listed int := 0;
  just_listed int;
begin
  if wallet is null and is_upwards then
    return query
    select e.* from point_events e
    where e.point_system_id = system and e.voids is null
      and (e.created_at, e.id) > (from_at, from_id) and e.created_at < until_at
    order by e.point_system_id, e.created_at, e.id limit rows_max;
    return;
  elsif wallet is null then
    return query
    select e.* from point_events e
    where e.point_system_id = system and e.voids is null
      and (e.created_at, e.id) < (from_at, from_id) and e.created_at >= until_at
    order by e.point_system_id desc, e.created_at desc, e.id desc limit rows_max;
    return;
  end if;
  low := greatest(low, (
    select e.created_at from point_events e where e.point_system_id = system
    order by e.point_system_id, e.created_at limit 1
  ));
  high := least(high, (
    select e.created_at + interval '1 ms' from point_events e where e.point_system_id = system
    order by e.point_system_id desc, e.created_at desc limit 1
  ));
  if not isfinite(low) or not isfinite(high) then
    return; -- There are no events.
  end if;
  stretch := floor(extract(epoch from case when is_upwards then low else high end))::bigint >> 21;
  last_stretch := floor(extract(epoch from case when is_upwards then high else low end))::bigint >> 21;
  while (last_stretch - stretch) * step >= 0 loop
    wallet_key := wallet_time_key(system, wallet, to_timestamp(stretch << 21));
    passed := 0;
    just_listed := 0;
    if skipped > 0 then
      select count(*) into passed from (
        select from point_events e
        where wallet_time_key(e.point_system_id, e.address, e.created_at) >= wallet_key
          and wallet_time_key(e.point_system_id, e.address, e.created_at) <= wallet_key
          and e.point_system_id = system and e.address = wallet and e.voids is null
          and (e.created_at, e.id) < (from_at, from_id) and e.created_at >= low
          and (with_voided or (
            select c.id from point_events c
            where c.point_system_id = system and c.voids = e.id limit 1
          ) is null)
        order by wallet_time_key(e.point_system_id, e.address, e.created_at) desc, e.created_at desc
        limit skipped
      ) p;
    end if;
    if passed < skipped then
      skipped := skipped - passed;
    elsif is_upwards then
      return query
      select e.* from point_events e
      where wallet_time_key(e.point_system_id, e.address, e.created_at) >= wallet_key
        and wallet_time_key(e.point_system_id, e.address, e.created_at) <= wallet_key
        and e.point_system_id = system and e.address = wallet and e.voids is null
        and e.created_at >= low and e.created_at < high and (e.created_at, e.id) > (from_at, from_id)
      order by wallet_time_key(e.point_system_id, e.address, e.created_at), e.created_at, e.id
      limit rows_max - listed;
      get diagnostics just_listed = row_count;
    else
      return query
      select e.* from point_events e
      where wallet_time_key(e.point_system_id, e.address, e.created_at) >= wallet_key
        and wallet_time_key(e.point_system_id, e.address, e.created_at) <= wallet_key
        and e.point_system_id = system and e.address = wallet and e.voids is null
        and e.created_at >= low and e.created_at <= high and (e.created_at, e.id) < (from_at, from_id)
        and (with_voided or (
          select c.id from point_events c
          where c.point_system_id = system and c.voids = e.id limit 1
        ) is null)
      order by wallet_time_key(e.point_system_id, e.address, e.created_at) desc, e.created_at desc, e.id desc
      offset skipped limit rows_max - listed;
      get diagnostics just_listed = row_count;
      skipped := 0;
    end if;
    listed := listed + just_listed;
    exit when listed >= rows_max;
    empty := case when passed + just_listed > 0 then 0 else empty + 1 end;
    if empty < 16 then
      stretch := stretch + step;
    else
      stretch := find_next_stretch(system, stretch, is_upwards);
      empty := 0;
    end if;
  end loop;
end $$;
