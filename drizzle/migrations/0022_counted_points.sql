ALTER TABLE "rewards" ADD COLUMN "points_board" text;--> statement-breakpoint
ALTER TABLE "rewards" ADD COLUMN "points_window_id" uuid;--> statement-breakpoint
ALTER TABLE "rewards" ADD COLUMN "family_id" uuid;--> statement-breakpoint
ALTER TABLE "rewards" ADD CONSTRAINT "rewards_points_board_whole" CHECK (("rewards"."points_board" is null) = ("rewards"."points_window_id" is null) and ("rewards"."points_board" is null or "rewards"."family_id" is null));