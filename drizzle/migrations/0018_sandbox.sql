ALTER TABLE "api_keys" ADD COLUMN "is_sandbox" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "point_systems" ADD COLUMN "is_sandbox" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "point_systems" ADD COLUMN "clearing_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "point_systems" ADD CONSTRAINT "point_systems_sandbox_without_slug" CHECK (not ("point_systems"."is_sandbox" and "point_systems"."slug" is not null));--> statement-breakpoint
ALTER TABLE "point_systems" ADD CONSTRAINT "point_systems_sandbox_alone_cleared" CHECK ("point_systems"."clearing_since" is null or "point_systems"."is_sandbox");