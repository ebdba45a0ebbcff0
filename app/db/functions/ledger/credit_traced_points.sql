-- Credits trigger calls as credit_points does, and keeps the W3C traces of the credited ones for the webhooks that
-- listen for them. Element i of `traces` is that of call i.
create or replace function credit_traced_points(
  system_id uuid, token_hashes bytea[], key_places int[], trigger_keys text[], addresses bytea[],
  event_ids uuid[], idempotency_keys text[], requests bytea[], requested_points bigint[],
  offered_points bigint[], occurred_ats timestamptz[], metadata jsonb[], points_max bigint, too_late_at timestamptz, is_atomic boolean,
  traces uuid[], places_before tid[] default null
) returns table (
  calls int[], verdicts text[], api_key_ids uuid[], points_added bigint[], calls_left int[], room_after_seconds int[],
  clock_ms float8
)
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
begin
  return query
  with answer as materialized (
    select * from credit_points(
      system_id, token_hashes, key_places, trigger_keys, addresses, event_ids, idempotency_keys, requests,
      requested_points, offered_points, occurred_ats, metadata, points_max, too_late_at, is_atomic, places_before
    )
  ),
  kept as (
    insert into credit_traces (point_system_id, event_id, trace_id)
    select system_id, event_ids[v.place], traces[v.place]
    from answer, unnest(answer.calls, answer.verdicts) as v(place, verdict)
    where v.verdict = 'credited' and traces[v.place] is not null
      and (answer.verdicts <@ '{credited,replayed}' or not is_atomic) and exists (
      select from webhook_endpoints
      where point_system_id = system_id and off_at is null and 'points.credited' = any(event_types)
    )
  )
  select * from answer;
end $$;
