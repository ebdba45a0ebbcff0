-- Keeps rebuild_ranks from a point system's board until the transaction ends.
create or replace function lock_ranks(system uuid) returns boolean
language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('ranks:' || system::text, 0));
  return true;
end $$;
