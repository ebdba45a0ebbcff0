-- Begins a new turn of idempotency records when the present one is `kept_days` old: drops the records of the turn
-- before, and puts the present ones in their place. A record is thus kept for `kept_days` days at least, and for
-- twice as many at most. No row is deleted by itself. It runs with the rights of the tables' owner, whom the service's
-- role need not be. While a backup reads the tables, it gives up before a credit that waits behind it would.
create or replace function turn_idempotency_records(kept_days int) returns boolean
language plpgsql volatile security definer
set search_path = public, pg_temp
set lock_timeout = '300ms'
as $$
begin
  update idempotency_turns set began_at = now() where began_at < now() - make_interval(days => kept_days);
  if not found then
    return false;
  end if;
  lock table idempotency_records in access exclusive mode;
  drop table idempotency_records_before;
  alter table idempotency_records rename to idempotency_records_before;
  alter index idempotency_records_digest rename to idempotency_records_before_digest;
  create table idempotency_records (like idempotency_records_before);
  create index idempotency_records_digest on idempotency_records using hash (digest);
  return true;
end $$;
