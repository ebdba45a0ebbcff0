-- Begins a new turn of idempotency records on one shard, as turn_idempotency_records does.
create or replace function turn_shard_records(system uuid) returns void
language plpgsql volatile
set lock_timeout = '2s'
as $$
begin
  lock table idempotency_records in access exclusive mode;
  delete from idempotency_records_before;
  insert into idempotency_records_before select * from idempotency_records;
  delete from idempotency_records;
end $$;
