-- safe beside the release before
CREATE TABLE "streak_bonuses" (
	"point_system_id" uuid NOT NULL,
	"streak_id" uuid NOT NULL,
	"address" "bytea" NOT NULL,
	"days" integer NOT NULL,
	"reached_on" date NOT NULL,
	"seq" bigint NOT NULL,
	"trigger_key" text NOT NULL,
	"state" text DEFAULT 'due' NOT NULL,
	"event_id" uuid,
	CONSTRAINT "streak_bonuses_pk" PRIMARY KEY("point_system_id","streak_id","address","days","reached_on"),
	CONSTRAINT "streak_bonuses_state_known" CHECK ("streak_bonuses"."state" in ('due', 'paid', 'blacklisted', 'limit_reached', 'trigger_gone')),
	CONSTRAINT "streak_bonuses_paid_whole" CHECK (("streak_bonuses"."state" = 'paid') = ("streak_bonuses"."event_id" is not null))
);
--> statement-breakpoint
CREATE TABLE "streak_days" (
	"point_system_id" uuid NOT NULL,
	"streak_id" uuid NOT NULL,
	"address" "bytea" NOT NULL,
	"day" date NOT NULL,
	"events" integer NOT NULL,
	CONSTRAINT "streak_days_point_system_id_streak_id_address_day_pk" PRIMARY KEY("point_system_id","streak_id","address","day"),
	CONSTRAINT "streak_days_events_range" CHECK ("streak_days"."events" > 0)
);
--> statement-breakpoint
CREATE TABLE "streaks" (
	"point_system_id" uuid NOT NULL,
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"key" text NOT NULL,
	"name" text NOT NULL,
	"trigger_keys" text[],
	"time_zone" text NOT NULL,
	"bonuses" jsonb NOT NULL,
	"counted_seq" bigint DEFAULT 0 NOT NULL,
	"pays_after_seq" bigint NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "streaks_point_system_id_id_pk" PRIMARY KEY("point_system_id","id"),
	CONSTRAINT "streaks_key_shape" CHECK ("streaks"."key" ~ '^[a-z0-9_]{1,100}$'),
	CONSTRAINT "streaks_triggers_chosen" CHECK (cardinality("streaks"."trigger_keys") > 0)
);
--> statement-breakpoint
CREATE TABLE "tier_cursors" (
	"point_system_id" uuid PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tiers" (
	"point_system_id" uuid NOT NULL,
	"points_min" bigint NOT NULL,
	"name" text NOT NULL,
	"color" text NOT NULL,
	CONSTRAINT "tiers_point_system_id_points_min_pk" PRIMARY KEY("point_system_id","points_min"),
	CONSTRAINT "tiers_points_range" CHECK ("tiers"."points_min" between 0 and 9007199254740991),
	CONSTRAINT "tiers_name_length" CHECK (char_length("tiers"."name") between 1 and 40),
	CONSTRAINT "tiers_color_shape" CHECK ("tiers"."color" ~ '^#[0-9a-f]{6}$')
);
--> statement-breakpoint
ALTER TABLE "streaks" ADD CONSTRAINT "streaks_point_system_id_point_systems_id_fk" FOREIGN KEY ("point_system_id") REFERENCES "public"."point_systems"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tier_cursors" ADD CONSTRAINT "tier_cursors_point_system_id_point_systems_id_fk" FOREIGN KEY ("point_system_id") REFERENCES "public"."point_systems"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tiers" ADD CONSTRAINT "tiers_point_system_id_point_systems_id_fk" FOREIGN KEY ("point_system_id") REFERENCES "public"."point_systems"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "streak_bonuses_due" ON "streak_bonuses" USING btree ("point_system_id","seq") WHERE "streak_bonuses"."state" = 'due';--> statement-breakpoint
CREATE UNIQUE INDEX "streak_bonuses_event" ON "streak_bonuses" USING btree ("point_system_id","event_id");--> statement-breakpoint
CREATE UNIQUE INDEX "streaks_key" ON "streaks" USING btree ("point_system_id","key");--> statement-breakpoint
CREATE UNIQUE INDEX "tiers_name" ON "tiers" USING btree ("point_system_id","name");