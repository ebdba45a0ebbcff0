CREATE TABLE "board_windows" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"point_system_id" uuid NOT NULL,
	"board_id" uuid NOT NULL,
	"label" text NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"place" smallint NOT NULL,
	"is_ready" boolean DEFAULT true NOT NULL,
	"filled_seq" bigint DEFAULT 0 NOT NULL,
	"closed_seq" bigint,
	"is_settled" boolean DEFAULT false NOT NULL,
	CONSTRAINT "board_windows_range" CHECK ("board_windows"."starts_at" < "board_windows"."ends_at"),
	CONSTRAINT "board_windows_place_range" CHECK ("board_windows"."place" between 1 and 10)
);
--> statement-breakpoint
CREATE TABLE "boards" (
	"point_system_id" uuid NOT NULL,
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"kind" text NOT NULL,
	"slug" text,
	"name" text NOT NULL,
	"time_zone" text NOT NULL,
	"is_public" boolean NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "boards_point_system_id_id_pk" PRIMARY KEY("point_system_id","id"),
	CONSTRAINT "boards_kind_known" CHECK ("boards"."kind" in ('daily', 'weekly', 'monthly', 'season')),
	CONSTRAINT "boards_slug_of_season" CHECK (("boards"."kind" = 'season') = ("boards"."slug" is not null)),
	CONSTRAINT "boards_slug_shape" CHECK ("boards"."slug" ~ '^[a-z0-9]+(-[a-z0-9]+)*$')
);
--> statement-breakpoint
ALTER TABLE "point_events" ADD COLUMN "board_points" bigint[];--> statement-breakpoint
ALTER TABLE "boards" ADD CONSTRAINT "boards_point_system_id_point_systems_id_fk" FOREIGN KEY ("point_system_id") REFERENCES "public"."point_systems"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "board_windows_label" ON "board_windows" USING btree ("point_system_id","board_id","label");--> statement-breakpoint
CREATE UNIQUE INDEX "board_windows_open" ON "board_windows" USING btree ("point_system_id","place") WHERE "board_windows"."closed_seq" is null;--> statement-breakpoint
CREATE INDEX "board_windows_unsettled" ON "board_windows" USING btree ("point_system_id") WHERE not "board_windows"."is_settled";--> statement-breakpoint
CREATE UNIQUE INDEX "boards_key" ON "boards" USING btree ("point_system_id",coalesce("slug", ':' || "kind"));