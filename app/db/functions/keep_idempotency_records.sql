-- Makes the partition of `idempotency_records` that comes next, and drops those that hold nothing of the last
-- `kept_days` days. A partition holds thirty days, so a record is kept for `kept_days` days at least and for thirty
-- more at most. Few partitions are what counts: each credit asks all of them.
create or replace function keep_idempotency_records(kept_days int) returns void
language plpgsql volatile
set lock_timeout = '2s'
as $$
declare
  period bigint;
  partition text;
begin
  for period in select generate_series(
    floor(extract(epoch from now()) / 2592000)::bigint, floor(extract(epoch from now()) / 2592000)::bigint + 1
  ) loop
    -- Without a worker for weeks, records went to the last partition: their period gets none of its own.
    if to_regclass('idempotency_records_' || period) is null and not exists (
      select from idempotency_records_rest where created_at >= to_timestamp(period * 2592000)
    ) then
      execute format('create table %I partition of idempotency_records for values from (%L) to (%L)',
        'idempotency_records_' || period, to_timestamp(period * 2592000), to_timestamp((period + 1) * 2592000));
    end if;
  end loop;
  for partition, period in
    select relname, substring(relname from '\d+$')::bigint
    from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'idempotency_records'::regclass and relname ~ '^idempotency_records_\d+$'
  loop
    if to_timestamp((period + 1) * 2592000) < now() - make_interval(days => kept_days) then
      execute format('drop table %I', partition);
    end if;
  end loop;
  delete from idempotency_records_rest where created_at < now() - make_interval(days => kept_days);
end $$;
