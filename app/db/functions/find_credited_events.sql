-- Lists those of these events that were credited, and withdraws the others: a statement that still comes with one
-- of their ids credits nothing. It takes the ledger lock first, so a transaction whose connection was lost has
-- either committed before, or comes too late.
--
-- No call lives longer than 15 s, so older events are not looked at. The clock may have jumped ahead since the calls were
-- sent, so those since `sent_at`, by the clock of that time, are looked at as well; null when it is not known.
create or replace function find_credited_events(system_id uuid, event_ids uuid[], sent_at timestamptz default null)
returns table (event_id uuid, api_key_id uuid, points int)
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set lock_timeout = '500ms'
as $$
#variable_conflict use_column
declare
  is_locked boolean;
  since timestamptz;
begin
  is_locked := lock_ledger(system_id);
  since := least(sent_at, clock_timestamp() - interval '15 s');
  delete from withdrawn_credits
  where point_system_id = system_id and created_at < clock_timestamp() - interval '1 hour';
  return query
  with found as materialized (
    select e.id, e.api_key_id, e.points::int as points from point_events e
    where e.point_system_id = system_id and e.created_at > since
      -- Not a join: the ids are hashed once, and each event of that time is looked up among them.
      and (e.id in (select unnest(event_ids))) is true
  ),
  withdrawn as (
    insert into withdrawn_credits (point_system_id, id)
    select system_id, c.id from unnest(event_ids) as c(id)
    where (c.id in (select f.id from found f)) is not true
    on conflict do nothing
  )
  select f.id, f.api_key_id, f.points from found f;
end $$;
