-- Lists those of these events that were recorded by hand, with the wallet that holds their points now, and whether they
-- are voided. Only the indexes of ids by hand and of corrections have the order that is asked for, and nothing is sorted:
-- another index of the point system would be read whole for each event (docs/decisions/012).
create or replace function list_hand_events(system uuid, ids uuid[])
returns table (
  id uuid, address bytea, holder bytea, points bigint, created_at timestamptz, is_voided boolean
)
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
  select e.id, e.address, find_event_holder(system, e.address, e.seq, 9223372036854775807), e.points, e.created_at,
    c.id is not null
  from unnest(ids) as q(id)
  cross join lateral (
    select e.id, e.address, e.seq, e.points, e.created_at from point_events e
    where e.point_system_id = system and e.id >= q.id and e.id <= q.id and e.api_key_id is null
    order by e.id limit 1
  ) e
  left join lateral (
    select c.id from point_events c
    where c.point_system_id = system and c.voids >= e.id and c.voids <= e.id order by c.voids limit 1
  ) c on true;
end $$;
