CREATE TABLE "idempotency_records" (
	"point_system_id" uuid NOT NULL,
	"digest" "bytea" NOT NULL,
	"request" "bytea" NOT NULL,
	"points" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency_records_before" (
	"point_system_id" uuid NOT NULL,
	"digest" "bytea" NOT NULL,
	"request" "bytea" NOT NULL,
	"points" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency_turns" (
	"began_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "idempotency_records_digest" ON "idempotency_records" USING btree ("digest");--> statement-breakpoint
CREATE INDEX "idempotency_records_before_digest" ON "idempotency_records_before" USING btree ("digest");--> statement-breakpoint
insert into idempotency_turns default values;
--> statement-breakpoint
insert into idempotency_records (point_system_id, digest, request, points, created_at)
select point_system_id,
  substring(sha256(uuid_send(api_key_id) || uuid_send(point_system_id) || convert_to(idempotency_key, 'UTF8')) for 16),
  substring(sha256(address || convert_to(event, 'UTF8') || '\x00') for 16),
  points, created_at
from point_events
where idempotency_key is not null and api_key_id is not null and created_at > now() - interval '30 days';
--> statement-breakpoint
ALTER TABLE "point_events" DROP CONSTRAINT "point_events_idempotency_length";--> statement-breakpoint
DROP INDEX "point_events_idempotency";--> statement-breakpoint
ALTER TABLE "point_events" DROP COLUMN "idempotency_key";--> statement-breakpoint
ALTER TABLE "point_events" ADD COLUMN "occurred_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "point_events" ADD COLUMN "metadata" jsonb;--> statement-breakpoint
ALTER TABLE "triggers" ADD COLUMN "points_min" bigint;--> statement-breakpoint
ALTER TABLE "triggers" ADD COLUMN "points_max" bigint;--> statement-breakpoint
ALTER TABLE "triggers" ADD CONSTRAINT "triggers_variable_points_range" CHECK (case when "triggers"."points_min" is null then "triggers"."points_max" is null
        else coalesce(1 <= "triggers"."points_min" and "triggers"."points_min" <= "triggers"."points"
          and "triggers"."points" <= "triggers"."points_max" and "triggers"."points_max" <= 1000000000, false) end);
