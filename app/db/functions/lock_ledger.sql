-- Makes the caller the only writer of a point system until its transaction ends. Two rules follow: what a statement
-- read still holds when it writes, and `seq` ascends in commit order. The caller's next statement sees everything
-- that the last holder committed. The transaction's commit waits for the disk, whatever its connection says.
--
-- Each step is an expression, not a query: a query costs its caller ten times as much.
create or replace function lock_ledger(system_id uuid) returns boolean
language plpgsql volatile as $$
declare
  done text;
begin
  done := set_config('synchronous_commit', 'on', true);
  done := pg_advisory_xact_lock(hashtextextended('ledger:' || system_id::text, 0));
  return true;
end $$;
