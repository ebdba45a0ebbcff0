-- Says whether a credit of that time stands, so that its idempotency record still counts: its event is in the ledger, or is
-- so old that it is in an archive. Else it left with all others: when its sandbox was cleared, or its point system purged and
-- loaded again from a file with the same id.
--
-- Few calls repeat one. It is a function of its own so that the statement of a credit need not open the ledger's tables for
-- it. The order is that of the right index alone (docs/decisions/012).
create or replace function is_credit_kept(system_id uuid, credited_at timestamptz) returns boolean
language plpgsql stable as $$
begin
  return coalesce((
    select true from point_events
    where point_system_id = system_id and created_at >= credited_at and created_at <= credited_at
    order by created_at, id limit 1
  ), (
    select credited_at < archived_before from point_system_totals where point_system_id = system_id limit 1
  ), false);
end $$;
