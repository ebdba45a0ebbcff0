-- Locks the ledger as lock_ledger does, and fails with 55P03 rather than wait for longer than half a second: the caller's
-- connection is for all point systems. What the transaction does after that waits as usual.
create or replace function lock_ledger_in_time(system_id uuid) returns boolean
language plpgsql volatile
set lock_timeout = '500ms'
as $$
begin
  return lock_ledger(system_id);
end $$;
