-- Begins a new turn of idempotency records when the present one is `kept_days` old, on one shard after the other.
create or replace function turn_idempotency_records(kept_days int) returns boolean
language plpgsql volatile
set lock_timeout = '2s'
as $$
declare
  anchor uuid;
begin
  update idempotency_turns set began_at = now() where began_at < now() - make_interval(days => kept_days);
  if not found then
    return false;
  end if;
  for anchor in select a.point_system_id from shard_anchors a loop
    perform turn_shard_records(anchor);
  end loop;
  return true;
end $$;
