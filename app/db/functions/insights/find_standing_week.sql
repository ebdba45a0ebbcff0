-- Finds the first week, from one Monday to another, in which a wallet has an event that is not voided, up to a position of
-- the ledger; the last one when `from_week` is the later. Null without any. Weeks are in UTC. A week with archived events
-- counts as one (find_archived_week). It costs a look-up for each stretch of time (wallet_time_key).
create or replace function find_standing_week(
  system uuid, wallet bytea, from_week date, to_week date, to_seq bigint
) returns date
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
  is_forward constant boolean := from_week <= to_week;
  starts_at constant timestamptz := least(from_week, to_week)::timestamp at time zone 'UTC';
  ends_at constant timestamptz := (greatest(from_week, to_week) + 7)::timestamp at time zone 'UTC';
  first_stretch constant bigint := extract(epoch from starts_at)::bigint >> 21;
  last_stretch constant bigint := (extract(epoch from ends_at)::bigint - 1) >> 21;
  archived_week constant date := (select week from find_archived_week(system, wallet));
  key bigint;
  found_at timestamptz;
begin
  if is_forward and archived_week >= from_week then
    return from_week;
  end if;
  for n in 0..last_stretch - first_stretch loop
    key := wallet_time_key(system, wallet, to_timestamp(
      (case when is_forward then first_stretch + n else last_stretch - n end << 21)::float8
    ));
    if is_forward then
      select e.created_at into found_at from point_events e
      where wallet_time_key(e.point_system_id, e.address, e.created_at) >= key
        and wallet_time_key(e.point_system_id, e.address, e.created_at) <= key
        and e.created_at >= starts_at and e.created_at < ends_at
        and e.point_system_id = system and e.address = wallet and e.voids is null and e.moved_events is null
        and e.seq + 0 <= to_seq and (
          select c.id from point_events c
          where c.point_system_id = system and c.voids = e.id and c.seq + 0 <= to_seq limit 1
        ) is null
      order by wallet_time_key(e.point_system_id, e.address, e.created_at), e.created_at limit 1;
    else
      select e.created_at into found_at from point_events e
      where wallet_time_key(e.point_system_id, e.address, e.created_at) >= key
        and wallet_time_key(e.point_system_id, e.address, e.created_at) <= key
        and e.created_at >= starts_at and e.created_at < ends_at
        and e.point_system_id = system and e.address = wallet and e.voids is null and e.moved_events is null
        and e.seq + 0 <= to_seq and (
          select c.id from point_events c
          where c.point_system_id = system and c.voids = e.id and c.seq + 0 <= to_seq limit 1
        ) is null
      order by wallet_time_key(e.point_system_id, e.address, e.created_at) desc, e.created_at desc limit 1;
    end if;
    exit when found_at is not null;
  end loop;
  return case
    when is_forward then date_trunc('week', found_at at time zone 'UTC')::date
    when greatest(found_at at time zone 'UTC', archived_week::timestamp) >= to_week
      then least(date_trunc('week', greatest(found_at at time zone 'UTC', archived_week::timestamp))::date, from_week)
  end;
end $$;
