CREATE TABLE "credit_traces" (
	"point_system_id" uuid NOT NULL,
	"event_id" uuid NOT NULL,
	"trace_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "credit_traces_point_system_id_event_id_pk" PRIMARY KEY("point_system_id","event_id")
);
--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD COLUMN "trace_id" uuid;--> statement-breakpoint
CREATE INDEX "credit_traces_age" ON "credit_traces" USING btree ("created_at");