CREATE TABLE "allocations" (
	"point_system_id" uuid NOT NULL,
	"reward_id" uuid NOT NULL,
	"round" integer NOT NULL,
	"status" text NOT NULL,
	"total_amount_wei" numeric(78, 0) NOT NULL,
	"bucket_size_chosen" integer,
	"bucket_size" integer,
	"snapshot_at" timestamp (3) with time zone,
	"wallets" integer,
	"total_weight" numeric(78, 0),
	"wallets_done" integer DEFAULT 0 NOT NULL,
	"failure" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"built_at" timestamp (3) with time zone,
	CONSTRAINT "allocations_point_system_id_reward_id_round_pk" PRIMARY KEY("point_system_id","reward_id","round"),
	CONSTRAINT "allocations_status_known" CHECK ("allocations"."status" in ('queued', 'allocating', 'building', 'checking', 'built', 'failed')),
	CONSTRAINT "allocations_bucket_size_range" CHECK ("allocations"."bucket_size" between 1 and 1048576)
);
--> statement-breakpoint
ALTER TABLE "airdrops" ALTER COLUMN "contract_address" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "airdrops" ALTER COLUMN "onchain_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "airdrops" ADD COLUMN "admin_address" "bytea";--> statement-breakpoint
ALTER TABLE "airdrops" ADD COLUMN "creation_tx_hash" "bytea";--> statement-breakpoint
ALTER TABLE "airdrops" ADD COLUMN "creation_block" bigint;--> statement-breakpoint
ALTER TABLE "airdrops" ADD COLUMN "created_onchain_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "airdrops" ADD COLUMN "cancelled_onchain_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "airdrops" ADD COLUMN "refunded_wei" numeric(78, 0) DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "distributions" ADD COLUMN "round" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "distributions" ADD COLUMN "points" bigint;--> statement-breakpoint
ALTER TABLE "merkle_buckets" ADD COLUMN "round" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "merkle_buckets" ADD COLUMN "funded_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "merkle_buckets" ADD COLUMN "funding_tx_hash" "bytea";--> statement-breakpoint
ALTER TABLE "rewards" ADD COLUMN "deadline_time_zone" text;--> statement-breakpoint
ALTER TABLE "rewards" ADD COLUMN "published_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "rewards" ADD COLUMN "distributed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "rewards" ADD COLUMN "cancelled_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "allocations" ADD CONSTRAINT "allocations_reward" FOREIGN KEY ("point_system_id","reward_id") REFERENCES "public"."rewards"("point_system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "airdrops_onchain_id" ON "airdrops" USING btree ("chain_id","onchain_id");--> statement-breakpoint
ALTER TABLE "airdrops" ADD CONSTRAINT "airdrops_onchain_whole" CHECK (("airdrops"."contract_address" is null) = ("airdrops"."onchain_id" is null) and ("airdrops"."status" <> 'active' or "airdrops"."onchain_id" is not null));--> statement-breakpoint
ALTER TABLE "airdrops" ADD CONSTRAINT "airdrops_creation_tx_hash_length" CHECK (octet_length("airdrops"."creation_tx_hash") = 32);--> statement-breakpoint
ALTER TABLE "merkle_buckets" ADD CONSTRAINT "merkle_buckets_funding_tx_hash_length" CHECK (octet_length("merkle_buckets"."funding_tx_hash") = 32);