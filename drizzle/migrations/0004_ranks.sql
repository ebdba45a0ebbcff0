CREATE TABLE "rank_counts" (
	"point_system_id" uuid NOT NULL,
	"bucket" bigint NOT NULL,
	"wallets" bigint NOT NULL,
	"level" smallint NOT NULL,
	CONSTRAINT "rank_counts_point_system_id_level_bucket_pk" PRIMARY KEY("point_system_id","level","bucket"),
	CONSTRAINT "rank_counts_wallets_positive" CHECK ("rank_counts"."wallets" > 0),
	CONSTRAINT "rank_counts_level_range" CHECK ("rank_counts"."level" between 0 and 15)
);
--> statement-breakpoint
CREATE TABLE "rank_cursors" (
	"point_system_id" uuid PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rank_moves" (
	"point_system_id" uuid NOT NULL,
	"seq" bigint NOT NULL,
	"key_before" bigint,
	"key_after" bigint,
	CONSTRAINT "rank_moves_point_system_id_seq_pk" PRIMARY KEY("point_system_id","seq")
);
--> statement-breakpoint
ALTER TABLE "point_events" ADD COLUMN "opens_wallet" boolean;