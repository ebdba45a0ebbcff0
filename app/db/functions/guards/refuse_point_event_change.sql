-- Keeps the ledger append-only. Only the deletion of a whole point system, the clearing of a sandbox and the removal of
-- archived events may delete; they announce it in their own transaction with the setting ledger.removes_events.
create or replace function refuse_point_event_change() returns trigger language plpgsql as $$
begin
  if current_setting('ledger.removes_events', true) = 'on' and tg_op = 'DELETE' then
    return null;
  end if;
  raise exception 'point_events is append-only: % is refused', lower(tg_op)
    using errcode = 'restrict_violation';
end $$;

create or replace trigger point_events_append_only
  before update or delete or truncate on point_events
  for each statement execute function refuse_point_event_change();
