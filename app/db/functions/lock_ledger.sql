-- Makes the caller the only writer of each of these point systems until its transaction ends. Two rules
-- follow: what a statement read still holds when it writes, and `seq` ascends in commit order. The locks are
-- taken in one order, hence without deadlocks. The caller's next statement sees everything that the
-- last holder committed. The transaction's commit waits for the disk, whatever its connection says.
create or replace function lock_ledger(point_system_ids uuid[]) returns void
language plpgsql volatile as $$
begin
  perform set_config('synchronous_commit', 'on', true);
  perform pg_advisory_xact_lock(hashtextextended('ledger:' || id::text, 0))
    from (select distinct id from unnest(point_system_ids) as id where id is not null order by id) as ids;
end $$;
