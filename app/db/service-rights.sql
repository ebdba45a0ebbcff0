grant usage on schema public, drizzle to points_service;
grant select, insert, update, delete on all tables in schema public to points_service;
revoke update, delete on point_events, spends, audit_log from points_service;
grant usage, select on all sequences in schema public to points_service;
grant select on all tables in schema drizzle to points_service;
grant update (applied_at) on drizzle.database_functions to points_service;
alter default privileges in schema public
  grant select, insert, update, delete on tables to points_service;
