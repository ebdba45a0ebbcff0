CREATE TABLE "webhook_deliveries" (
	"point_system_id" uuid NOT NULL,
	"endpoint_id" uuid NOT NULL,
	"seq" bigint DEFAULT nextval('point_events_seq_seq') NOT NULL,
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"type" text NOT NULL,
	"happened_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"data" jsonb,
	"seq_to" bigint,
	"state" text DEFAULT 'waiting' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"attempted_at" timestamp (3) with time zone,
	"took_ms" integer,
	"status" integer,
	"answer" text,
	"problem" text,
	CONSTRAINT "webhook_deliveries_point_system_id_endpoint_id_seq_pk" PRIMARY KEY("point_system_id","endpoint_id","seq"),
	CONSTRAINT "webhook_deliveries_state_known" CHECK ("webhook_deliveries"."state" in ('waiting', 'delivered', 'failed', 'skipped')),
	CONSTRAINT "webhook_deliveries_content" CHECK (num_nonnulls("webhook_deliveries"."data", "webhook_deliveries"."seq_to") = 1)
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"point_system_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"url" text NOT NULL,
	"event_types" text[] NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"off_at" timestamp (3) with time zone,
	"is_given_up" boolean DEFAULT false NOT NULL,
	"secret_ciphertext" "bytea" NOT NULL,
	"secret_nonce" "bytea" NOT NULL,
	"secret_key_id" text NOT NULL,
	"former_ciphertext" "bytea",
	"former_nonce" "bytea",
	"former_key_id" text,
	"former_until" timestamp (3) with time zone,
	"ledger_seq" bigint NOT NULL,
	"due_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"lease" uuid,
	"leased_until" timestamp (3) with time zone,
	"failing_since" timestamp (3) with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "webhook_endpoints_point_system_id_id_pk" PRIMARY KEY("point_system_id","id"),
	CONSTRAINT "webhook_endpoints_url_length" CHECK (length("webhook_endpoints"."url") between 1 and 2000),
	CONSTRAINT "webhook_endpoints_types_chosen" CHECK (cardinality("webhook_endpoints"."event_types") > 0),
	CONSTRAINT "webhook_endpoints_former_whole" CHECK (num_nulls("webhook_endpoints"."former_ciphertext", "webhook_endpoints"."former_nonce", "webhook_endpoints"."former_key_id", "webhook_endpoints"."former_until") in (0, 4))
);
--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_point_system_id_point_systems_id_fk" FOREIGN KEY ("point_system_id") REFERENCES "public"."point_systems"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_waiting" ON "webhook_deliveries" USING btree ("point_system_id","endpoint_id","seq") WHERE "webhook_deliveries"."state" = 'waiting';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_made" ON "webhook_deliveries" USING btree ("point_system_id","endpoint_id","created_at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_age" ON "webhook_deliveries" USING btree ("created_at");