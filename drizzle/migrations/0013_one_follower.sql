CREATE TABLE "chain_contracts" (
	"chain_id" integer NOT NULL,
	"contract" "bytea" NOT NULL,
	"from_block" bigint NOT NULL,
	CONSTRAINT "chain_contracts_chain_id_contract_pk" PRIMARY KEY("chain_id","contract")
);
--> statement-breakpoint
CREATE TABLE "chain_followers" (
	"chain_id" integer PRIMARY KEY NOT NULL,
	"epoch" bigint DEFAULT 0 NOT NULL,
	"leader" text,
	"led_since" timestamp (3) with time zone,
	"lease_until" timestamp (3) with time zone,
	"is_looking" boolean DEFAULT false NOT NULL,
	"final_block" bigint DEFAULT -1 NOT NULL,
	"agreed_block" bigint,
	"agreed_hash" "bytea",
	"agreed_mined_at" timestamp (3) with time zone,
	"confirmed_block" bigint DEFAULT -1 NOT NULL,
	"head_block" bigint,
	"head_hash" "bytea",
	"head_mined_at" timestamp (3) with time zone,
	"head_seen_at" timestamp (3) with time zone,
	"endpoint" integer DEFAULT 0 NOT NULL,
	"succeeded_at" timestamp (3) with time zone,
	"failed_at" timestamp (3) with time zone,
	"failure" text,
	"claims" bigint DEFAULT 0 NOT NULL,
	"reorgs" integer DEFAULT 0 NOT NULL,
	"claims_undone" integer DEFAULT 0 NOT NULL,
	"contradictions" integer DEFAULT 0 NOT NULL,
	"contradicted_at" timestamp (3) with time zone,
	"contradiction" text,
	"reconciled_at" timestamp (3) with time zone,
	"buckets_compared" integer DEFAULT 0 NOT NULL,
	"buckets_differing" integer DEFAULT 0 NOT NULL,
	"rescans" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "chain_followers_head_whole" CHECK (("chain_followers"."head_block" is null) = ("chain_followers"."head_hash" is null))
);
--> statement-breakpoint
CREATE TABLE "chain_logs" (
	"chain_id" integer NOT NULL,
	"contract" "bytea" NOT NULL,
	"block_number" bigint NOT NULL,
	"block_hash" "bytea" NOT NULL,
	"log_index" integer NOT NULL,
	"tx_hash" "bytea" NOT NULL,
	"mined_at" timestamp (3) with time zone NOT NULL,
	"kind" text NOT NULL,
	"onchain_id" numeric(78, 0) NOT NULL,
	"account" "bytea",
	"amount_wei" numeric(78, 0),
	"root" "bytea",
	"fields" jsonb,
	"problem" text,
	CONSTRAINT "chain_logs_chain_id_block_hash_log_index_pk" PRIMARY KEY("chain_id","block_hash","log_index"),
	CONSTRAINT "chain_logs_kind_known" CHECK ("chain_logs"."kind" in ('creation', 'buckets', 'claim', 'refund', 'cancellation', 'admin', 'deadline')),
	CONSTRAINT "chain_logs_block_hash_length" CHECK (octet_length("chain_logs"."block_hash") = 32),
	CONSTRAINT "chain_logs_tx_hash_length" CHECK (octet_length("chain_logs"."tx_hash") = 32),
	CONSTRAINT "chain_logs_root_length" CHECK (octet_length("chain_logs"."root") = 32),
	CONSTRAINT "chain_logs_problem_known" CHECK ("chain_logs"."problem" in ('no_share', 'amount_differs')),
	CONSTRAINT "chain_logs_claim_whole" CHECK ("chain_logs"."kind" <> 'claim' or ("chain_logs"."account" is not null and "chain_logs"."amount_wei" is not null))
);
--> statement-breakpoint
ALTER TABLE "airdrops" ADD COLUMN "admin_named_block" bigint;--> statement-breakpoint
ALTER TABLE "airdrops" ADD COLUMN "chain_admin_address" "bytea";--> statement-breakpoint
ALTER TABLE "airdrops" ADD COLUMN "planned_deadline" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "airdrops" ADD COLUMN "books_closed_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "chain_logs_block" ON "chain_logs" USING btree ("chain_id","block_number");--> statement-breakpoint
CREATE INDEX "chain_logs_tx" ON "chain_logs" USING btree ("chain_id","tx_hash");--> statement-breakpoint
CREATE INDEX "chain_logs_claim" ON "chain_logs" USING btree ("chain_id","contract","onchain_id","account") WHERE "chain_logs"."kind" = 'claim';--> statement-breakpoint
CREATE INDEX "chain_logs_airdrop" ON "chain_logs" USING btree ("chain_id","contract","onchain_id") WHERE "chain_logs"."kind" <> 'claim';--> statement-breakpoint
CREATE INDEX "chain_logs_ref" ON "chain_logs" USING btree ("chain_id",("fields" ->> 'ref')) WHERE "chain_logs"."kind" = 'creation';--> statement-breakpoint
CREATE INDEX "chain_logs_problem" ON "chain_logs" USING btree ("chain_id") WHERE "chain_logs"."problem" is not null;--> statement-breakpoint
-- What the two earlier followers stored is taken over. The chain is read again from the oldest creation on.
INSERT INTO "chain_logs" ("chain_id", "contract", "block_number", "block_hash", "log_index", "tx_hash", "mined_at", "kind", "onchain_id", "account", "amount_wei", "problem")
SELECT "chain_id", "contract", "block_number", "block_hash", "log_index", "tx_hash", "mined_at", 'claim', "onchain_id", "account", "amount_wei", "problem" FROM "claims"
ON CONFLICT DO NOTHING;--> statement-breakpoint
INSERT INTO "chain_followers" ("chain_id", "claims", "claims_undone", "reorgs", "rescans")
SELECT i."chain_id", (SELECT count(*) FROM "chain_logs" l WHERE l."chain_id" = i."chain_id"), sum(i."claims_undone"), sum(i."reorgs"), sum(i."rescans")
FROM "claim_indexers" i GROUP BY i."chain_id";--> statement-breakpoint
UPDATE "airdrops" a SET
	"admin_named_block" = a."scanned_to_block",
	"chain_admin_address" = CASE WHEN a."onchain_id" IS NOT NULL THEN a."admin_address" END,
	"admin_address" = coalesce((
		SELECT t."admin_before" FROM "airdrop_transactions" t
		WHERE t."point_system_id" = a."point_system_id" AND t."reward_id" = a."reward_id" AND t."admin_before" IS NOT NULL
		ORDER BY t."block_number" LIMIT 1
	), a."admin_address")
WHERE a."admin_address" IS NOT NULL;--> statement-breakpoint
-- Books are compared by the follower now.
DELETE FROM "jobs" WHERE "queue" = 'reconcile-claims';--> statement-breakpoint
DROP TABLE "claim_indexers";--> statement-breakpoint
DROP TABLE "claims";--> statement-breakpoint
DROP TABLE "airdrop_transactions";--> statement-breakpoint
DROP INDEX "airdrops_scan";--> statement-breakpoint
ALTER TABLE "airdrops" DROP COLUMN "scanned_to_block";--> statement-breakpoint
ALTER TABLE "airdrops" DROP COLUMN "scanned_at";