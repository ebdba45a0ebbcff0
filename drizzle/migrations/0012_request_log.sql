CREATE TABLE "request_log" (
	"point_system_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"request_id" text NOT NULL,
	"answered_at" timestamp (3) with time zone NOT NULL,
	"endpoint" text NOT NULL,
	"status" smallint NOT NULL,
	"code" text,
	"api_key_id" uuid,
	"took_ms" integer NOT NULL,
	CONSTRAINT "request_log_point_system_id_id_pk" PRIMARY KEY("point_system_id","id")
);
--> statement-breakpoint
CREATE INDEX "request_log_request" ON "request_log" USING btree ("point_system_id","request_id");--> statement-breakpoint
CREATE INDEX "request_log_newest" ON "request_log" USING btree ("point_system_id","answered_at","id");