CREATE TABLE "activity_marks" (
	"point_system_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"id" uuid NOT NULL,
	"events" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "activity_marks_point_system_id_created_at_id_pk" PRIMARY KEY("point_system_id","created_at","id"),
	CONSTRAINT "activity_marks_events_range" CHECK ("activity_marks"."events" >= 0)
);
--> statement-breakpoint
ALTER TABLE "statistics_cursors" ADD COLUMN "activity_seq" bigint DEFAULT 0 NOT NULL;