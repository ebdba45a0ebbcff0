-- Says whether a credit of that time stands, so that its idempotency record still counts: a cleared sandbox has no events
-- from before. Events of other point systems leave the ledger for archives alone, so those credits stand in any case.
--
-- Few calls repeat one. It is a function of its own so that the statement of a credit need not open the ledger's tables for
-- it. The order is that of the right index alone (docs/decisions/012).
create or replace function is_credit_kept(system_id uuid, credited_at timestamptz) returns boolean
language plpgsql stable as $$
begin
  return not (select is_sandbox from point_systems where id = system_id) or coalesce((
    select true from point_events
    where point_system_id = system_id and created_at >= credited_at and created_at <= credited_at
    order by created_at, id limit 1
  ), false);
end $$;
