-- Whoever was first runs the installation.
update operators set is_administrator = true
where id = (select id from operators order by created_at, id limit 1);
--> statement-breakpoint
-- What was done stays told.
create function refuse_audit_log_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit_log is append-only: % is refused', lower(tg_op)
    using errcode = 'restrict_violation';
end $$;
--> statement-breakpoint
create trigger audit_log_append_only
  before update or delete or truncate on audit_log
  for each statement execute function refuse_audit_log_change();
