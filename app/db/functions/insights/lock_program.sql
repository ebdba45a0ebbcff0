-- Keeps fold_program from a point system's figures until the transaction ends: it counts nothing meanwhile.
create or replace function lock_program(system uuid) returns boolean
language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('program:' || system::text, 0));
  return true;
end $$;
