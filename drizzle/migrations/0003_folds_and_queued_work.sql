CREATE TABLE "activity_marks" (
	"point_system_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"id" uuid NOT NULL,
	"events" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "activity_marks_point_system_id_created_at_id_pk" PRIMARY KEY("point_system_id","created_at","id"),
	CONSTRAINT "activity_marks_events_range" CHECK ("activity_marks"."events" >= 0)
);
--> statement-breakpoint
ALTER TABLE "statistics_cursors" ADD COLUMN "activity_seq" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "failure" text;
--> statement-breakpoint
-- What the worker took up by asking is now queued.
INSERT INTO "jobs" ("queue", "key", "data", "state")
SELECT 'run-import', "point_system_id" || '/' || "id",
	jsonb_build_object('pointSystemId', "point_system_id", 'importId', "id"), 'waiting'
FROM "imports" WHERE "status" IN ('committing', 'undoing')
ON CONFLICT DO NOTHING;
--> statement-breakpoint
INSERT INTO "jobs" ("queue", "key", "data", "state")
SELECT 'purge-point-system', "id"::text, jsonb_build_object('id', "id"), 'waiting'
FROM "point_systems" WHERE "deleted_at" IS NOT NULL
ON CONFLICT DO NOTHING;
