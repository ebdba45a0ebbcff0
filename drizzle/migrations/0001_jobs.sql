CREATE TABLE "jobs" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "jobs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"queue" text NOT NULL,
	"key" text,
	"slot" bigint,
	"data" jsonb NOT NULL,
	"state" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"run_after" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "jobs_state_known" CHECK ("jobs"."state" in ('waiting', 'active', 'retry', 'completed', 'failed'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX "jobs_one_waiting" ON "jobs" USING btree ("queue","key") WHERE "jobs"."state" = 'waiting';--> statement-breakpoint
CREATE UNIQUE INDEX "jobs_one_in_slot" ON "jobs" USING btree ("queue","slot");--> statement-breakpoint
CREATE INDEX "jobs_next" ON "jobs" USING btree ("queue","id") WHERE "jobs"."state" in ('waiting', 'retry');--> statement-breakpoint
CREATE INDEX "jobs_expiry" ON "jobs" USING btree ("expires_at") WHERE "jobs"."state" = 'active';--> statement-breakpoint
CREATE INDEX "jobs_ended" ON "jobs" USING btree ("ended_at");--> statement-breakpoint
-- The jobs of databases that kept them in pg-boss until now.
do $$
begin
  if to_regclass('pgboss.job') is not null then
    insert into jobs (queue, key, data, state, attempts)
    select name, singleton_key, coalesce(data, '{}'),
      case when state::text = 'created' then 'waiting' else 'retry' end, retry_count
    from pgboss.job
    where name = 'build-allocation' and state::text in ('created', 'retry', 'active')
    order by created_on, id;
    drop schema pgboss cascade;
  end if;
end $$;
--> statement-breakpoint
-- A point system's cursor of statistics is made with it from now on.
insert into statistics_cursors (point_system_id)
select id from point_systems where deleted_at is null on conflict do nothing;
