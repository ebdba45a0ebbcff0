-- Keeps the audit log append-only.
create or replace function refuse_audit_log_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit_log is append-only: % is refused', lower(tg_op)
    using errcode = 'restrict_violation';
end $$;

create or replace trigger audit_log_append_only
  before update or delete or truncate on audit_log
  for each statement execute function refuse_audit_log_change();
