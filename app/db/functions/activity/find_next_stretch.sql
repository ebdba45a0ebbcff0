-- Finds the next stretch of time (wallet_time_key) after one in which a point system has any event, or the next one before
-- it unless `is_upwards`. Null when there is none. Readers of a wallet's stretches call it after some in a row without an
-- event of the wallet: one event of a far time makes tens of thousands of empty stretches.
--
-- The settings are those of its callers: the order is one that only the right index has.
create or replace function find_next_stretch(system uuid, stretch bigint, is_upwards boolean) returns bigint
language sql stable as $$
  select floor(extract(epoch from case when is_upwards then (
    select e.created_at from point_events e
    where e.point_system_id = system and e.created_at >= to_timestamp(stretch + 1 << 21)
    order by e.point_system_id, e.created_at limit 1
  ) else (
    select e.created_at from point_events e
    where e.point_system_id = system and e.created_at < to_timestamp(stretch << 21)
    order by e.point_system_id desc, e.created_at desc limit 1
  ) end))::bigint >> 21
$$;
