-- Keeps the ledger append-only. Only the deletion of a whole point system may delete events; it announces
-- this in its own transaction with the setting ledger.deletes_point_system.
create or replace function refuse_point_event_change() returns trigger language plpgsql as $$
begin
  if current_setting('ledger.deletes_point_system', true) = 'on' and tg_op = 'DELETE' then
    return null;
  end if;
  raise exception 'point_events is append-only: % is refused', lower(tg_op)
    using errcode = 'restrict_violation';
end $$;

create or replace trigger point_events_append_only
  before update or delete or truncate on point_events
  for each statement execute function refuse_point_event_change();
