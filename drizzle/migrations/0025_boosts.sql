CREATE TABLE "boost_wallets" (
	"point_system_id" uuid NOT NULL,
	"boost_id" uuid NOT NULL,
	"address" "bytea" NOT NULL,
	CONSTRAINT "boost_wallets_point_system_id_boost_id_address_pk" PRIMARY KEY("point_system_id","boost_id","address"),
	CONSTRAINT "boost_wallets_address_length" CHECK (octet_length("boost_wallets"."address") = 20)
);
--> statement-breakpoint
CREATE TABLE "boosts" (
	"point_system_id" uuid NOT NULL,
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"factor" numeric(5, 2) NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"time_zone" text DEFAULT 'UTC' NOT NULL,
	"trigger_keys" text[],
	"is_for_listed" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "boosts_point_system_id_id_pk" PRIMARY KEY("point_system_id","id"),
	CONSTRAINT "boosts_factor_range" CHECK ("boosts"."factor" between 1.01 and 100),
	CONSTRAINT "boosts_range" CHECK ("boosts"."starts_at" < "boosts"."ends_at"),
	CONSTRAINT "boosts_triggers_some" CHECK (cardinality("boosts"."trigger_keys") > 0)
);
--> statement-breakpoint
ALTER TABLE "point_events" ADD COLUMN "base_points" bigint;--> statement-breakpoint
ALTER TABLE "point_events" ADD COLUMN "boost_factor" numeric(5, 2);--> statement-breakpoint
ALTER TABLE "boost_wallets" ADD CONSTRAINT "boost_wallets_point_system_id_boost_id_boosts_point_system_id_id_fk" FOREIGN KEY ("point_system_id","boost_id") REFERENCES "public"."boosts"("point_system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "boosts" ADD CONSTRAINT "boosts_point_system_id_point_systems_id_fk" FOREIGN KEY ("point_system_id") REFERENCES "public"."point_systems"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "boosts_ends" ON "boosts" USING btree ("point_system_id","ends_at");