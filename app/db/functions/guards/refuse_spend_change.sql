-- Keeps the ledger of spent points append-only. Only the deletion of a whole point system and the clearing of a sandbox
-- may delete; they announce it in their own transaction with the setting ledger.removes_events.
create or replace function refuse_spend_change() returns trigger language plpgsql as $$
begin
  if current_setting('ledger.removes_events', true) = 'on' and tg_op = 'DELETE' then
    return null;
  end if;
  raise exception 'spends is append-only: % is refused', lower(tg_op)
    using errcode = 'restrict_violation';
end $$;

create or replace trigger spends_append_only
  before update or delete or truncate on spends
  for each statement execute function refuse_spend_change();
