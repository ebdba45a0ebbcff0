-- Sums what a wallet had left at a time: its events and its spends until then, the time included. The times of archived
-- events are not known: all of them count at any time.
create or replace function balance_at(system_id uuid, wallet bytea, at timestamptz) returns bigint
language sql stable as $$
  select coalesce((
    select sum(e.points) from point_events e
    where e.point_system_id = system_id and e.address = wallet and e.created_at <= at
  ), 0)::bigint + coalesce((
    select o.points from opening_balances o where o.point_system_id = system_id and o.address = wallet
  ), 0) - coalesce((
    select sum(s.points) from spends s
    where s.point_system_id = system_id and s.address = wallet and s.created_at <= at
  ), 0)::bigint
$$;
