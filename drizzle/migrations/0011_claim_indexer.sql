CREATE TABLE "claim_indexers" (
	"chain_id" integer NOT NULL,
	"contract" "bytea" NOT NULL,
	"epoch" bigint DEFAULT 0 NOT NULL,
	"leader" text,
	"led_since" timestamp (3) with time zone,
	"alive_at" timestamp (3) with time zone,
	"start_block" bigint DEFAULT -1 NOT NULL,
	"final_block" bigint DEFAULT -1 NOT NULL,
	"head_block" bigint,
	"head_hash" "bytea",
	"head_seen_at" timestamp (3) with time zone,
	"chain_final_block" bigint,
	"provider" integer DEFAULT 0 NOT NULL,
	"succeeded_at" timestamp (3) with time zone,
	"failed_at" timestamp (3) with time zone,
	"failure" text,
	"claims" bigint DEFAULT 0 NOT NULL,
	"reorgs" integer DEFAULT 0 NOT NULL,
	"claims_undone" integer DEFAULT 0 NOT NULL,
	"reconciled_at" timestamp (3) with time zone,
	"buckets_compared" integer DEFAULT 0 NOT NULL,
	"buckets_differing" integer DEFAULT 0 NOT NULL,
	"rescans" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "claim_indexers_chain_id_contract_pk" PRIMARY KEY("chain_id","contract"),
	CONSTRAINT "claim_indexers_head_whole" CHECK (("claim_indexers"."head_block" is null) = ("claim_indexers"."head_hash" is null))
);
--> statement-breakpoint
CREATE TABLE "claims" (
	"chain_id" integer NOT NULL,
	"contract" "bytea" NOT NULL,
	"tx_hash" "bytea" NOT NULL,
	"log_index" integer NOT NULL,
	"block_number" bigint NOT NULL,
	"block_hash" "bytea" NOT NULL,
	"mined_at" timestamp (3) with time zone NOT NULL,
	"onchain_id" numeric(78, 0) NOT NULL,
	"account" "bytea" NOT NULL,
	"amount_wei" numeric(78, 0) NOT NULL,
	"is_final" boolean NOT NULL,
	"problem" text,
	CONSTRAINT "claims_chain_id_contract_tx_hash_log_index_pk" PRIMARY KEY("chain_id","contract","tx_hash","log_index"),
	CONSTRAINT "claims_tx_hash_length" CHECK (octet_length("claims"."tx_hash") = 32),
	CONSTRAINT "claims_block_hash_length" CHECK (octet_length("claims"."block_hash") = 32),
	CONSTRAINT "claims_problem_known" CHECK ("claims"."problem" in ('no_share', 'amount_differs'))
);
--> statement-breakpoint
CREATE INDEX "claims_block" ON "claims" USING btree ("chain_id","contract","block_number");--> statement-breakpoint
CREATE INDEX "claims_account" ON "claims" USING btree ("chain_id","contract","onchain_id","account");--> statement-breakpoint
CREATE INDEX "claims_problem" ON "claims" USING btree ("chain_id","contract","block_number") WHERE "claims"."problem" is not null;