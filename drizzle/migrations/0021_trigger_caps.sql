CREATE TABLE "trigger_cap_counts" (
	"point_system_id" uuid NOT NULL,
	"cap_id" uuid NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"address" "bytea" NOT NULL,
	"times" bigint NOT NULL,
	"points" bigint NOT NULL,
	"refused_at" timestamp (3) with time zone,
	CONSTRAINT "trigger_cap_counts_point_system_id_cap_id_starts_at_address_pk" PRIMARY KEY("point_system_id","cap_id","starts_at","address")
);
--> statement-breakpoint
ALTER TABLE "triggers" ADD COLUMN "cap_id" uuid;--> statement-breakpoint
ALTER TABLE "triggers" ADD COLUMN "cap_window" text;--> statement-breakpoint
ALTER TABLE "triggers" ADD COLUMN "cap_time_zone" text;--> statement-breakpoint
ALTER TABLE "triggers" ADD COLUMN "cap_times" bigint;--> statement-breakpoint
ALTER TABLE "triggers" ADD COLUMN "cap_points" bigint;--> statement-breakpoint
CREATE INDEX "trigger_cap_counts_ended" ON "trigger_cap_counts" USING btree ("ends_at");--> statement-breakpoint
ALTER TABLE "triggers" ADD CONSTRAINT "triggers_cap_whole" CHECK (num_nulls("triggers"."cap_id", "triggers"."cap_window", "triggers"."cap_time_zone") = 0
          and num_nonnulls("triggers"."cap_times", "triggers"."cap_points") > 0
        or num_nonnulls("triggers"."cap_id", "triggers"."cap_window", "triggers"."cap_time_zone", "triggers"."cap_times",
          "triggers"."cap_points") = 0);--> statement-breakpoint
ALTER TABLE "triggers" ADD CONSTRAINT "triggers_cap_range" CHECK ("triggers"."cap_window" in ('ever', 'daily', 'weekly', 'monthly')
        and "triggers"."cap_times" between 1 and 1000000000 and "triggers"."cap_points" between 1 and 1000000000);