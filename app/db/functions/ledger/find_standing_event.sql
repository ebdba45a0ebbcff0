-- Finds an event by its time and its id, with the wallet that holds its points now, and whether it is a move or voided. A
-- correction is not found. Look-ups ask for the order that one index has, as those of list_hand_events do.
create or replace function find_standing_event(system uuid, at timestamptz, event_id uuid)
returns table (
  address bytea, points bigint, event text, holder bytea, is_move boolean, is_voided boolean
)
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
  select e.address, e.points, e.event, find_event_holder(system, e.address, e.seq, 9223372036854775807),
    e.moved_events is not null, c.id is not null
  from (
    select * from point_events e
    where e.point_system_id = system and e.created_at >= at and e.created_at <= at and e.id = event_id
    order by e.created_at limit 1
  ) e
  left join lateral (
    select c.id from point_events c
    where c.point_system_id = system and c.voids >= event_id and c.voids <= event_id order by c.voids limit 1
  ) c on true
  where e.voids is null or e.moved_events is not null;
end $$;
