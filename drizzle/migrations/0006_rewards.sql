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
CREATE TABLE "ens_answers" (
	"question" text PRIMARY KEY NOT NULL,
	"answer" text,
	"resolved_at" timestamp (3) with time zone,
	"failed_at" timestamp (3) with time zone,
	"keep_until" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "ens_answers_question_length" CHECK (length("ens_answers"."question") between 3 and 255),
	CONSTRAINT "ens_answers_answer_length" CHECK (length("ens_answers"."answer") between 3 and 255),
	CONSTRAINT "ens_answers_resolved" CHECK ("ens_answers"."answer" is null or "ens_answers"."resolved_at" is not null)
);
--> statement-breakpoint
CREATE TABLE "gift_card_nonces" (
	"point_system_id" uuid NOT NULL,
	"nonce_hash" "bytea" NOT NULL,
	"card_id" uuid NOT NULL,
	"address" "bytea" NOT NULL,
	"chain_id" integer NOT NULL,
	"issued_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "gift_card_nonces_point_system_id_nonce_hash_pk" PRIMARY KEY("point_system_id","nonce_hash"),
	CONSTRAINT "gift_card_nonces_hash_length" CHECK (octet_length("gift_card_nonces"."nonce_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "gift_card_reveals" (
	"point_system_id" uuid NOT NULL,
	"reward_id" uuid NOT NULL,
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"card_id" uuid NOT NULL,
	"address" "bytea" NOT NULL,
	"network_hash" "bytea" NOT NULL,
	"user_agent" text NOT NULL,
	"revealed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "gift_card_reveals_point_system_id_reward_id_id_pk" PRIMARY KEY("point_system_id","reward_id","id"),
	CONSTRAINT "gift_card_reveals_address_length" CHECK (octet_length("gift_card_reveals"."address") = 20),
	CONSTRAINT "gift_card_reveals_network_length" CHECK (octet_length("gift_card_reveals"."network_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "public_calls" (
	"network" "bytea" PRIMARY KEY NOT NULL,
	"called_at" timestamp with time zone[] NOT NULL,
	"admitted" integer NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "public_calls_network_length" CHECK (octet_length("public_calls"."network") = 32)
);
--> statement-breakpoint
CREATE TABLE "shared_secrets" (
	"name" text PRIMARY KEY NOT NULL,
	"secret" "bytea" NOT NULL,
	CONSTRAINT "shared_secrets_length" CHECK (octet_length("shared_secrets"."secret") = 32)
);
--> statement-breakpoint
CREATE TABLE "point_system_brands" (
	"point_system_id" uuid PRIMARY KEY NOT NULL,
	"public_name" text,
	"intro" text,
	"accent_color" text,
	"logo" "bytea",
	"logo_type" text,
	CONSTRAINT "point_system_brands_accent_shape" CHECK ("point_system_brands"."accent_color" ~ '^#[0-9a-f]{6}$'),
	CONSTRAINT "point_system_brands_logo_size" CHECK (octet_length("point_system_brands"."logo") between 1 and 65536),
	CONSTRAINT "point_system_brands_logo_type" CHECK (("point_system_brands"."logo" is null) = ("point_system_brands"."logo_type" is null)
        and "point_system_brands"."logo_type" in ('image/png', 'image/jpeg', 'image/webp'))
);
--> statement-breakpoint
CREATE TABLE "airdrop_transactions" (
	"point_system_id" uuid NOT NULL,
	"reward_id" uuid NOT NULL,
	"tx_hash" "bytea" NOT NULL,
	"chain_id" integer NOT NULL,
	"block_number" bigint NOT NULL,
	"block_hash" "bytea" NOT NULL,
	"is_creation" boolean NOT NULL,
	"is_cancellation" boolean NOT NULL,
	"refunded_wei" numeric(78, 0) NOT NULL,
	"admin_before" "bytea",
	"is_final" boolean DEFAULT false NOT NULL,
	"accepted_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"checked_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "airdrop_transactions_point_system_id_reward_id_tx_hash_pk" PRIMARY KEY("point_system_id","reward_id","tx_hash"),
	CONSTRAINT "airdrop_transactions_tx_hash_length" CHECK (octet_length("airdrop_transactions"."tx_hash") = 32),
	CONSTRAINT "airdrop_transactions_block_hash_length" CHECK (octet_length("airdrop_transactions"."block_hash") = 32)
);
--> statement-breakpoint
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
CREATE TABLE "score_facts" (
	"address" "bytea" NOT NULL,
	"chain_id" bigint NOT NULL,
	"nonce" bigint NOT NULL,
	"has_code" boolean NOT NULL,
	"transactions" bigint NOT NULL,
	"first_at" timestamp (3) with time zone,
	"last_at" timestamp (3) with time zone,
	"sent_at" jsonb NOT NULL,
	"fetched_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "score_facts_address_chain_id_pk" PRIMARY KEY("address","chain_id"),
	CONSTRAINT "score_facts_address_length" CHECK (octet_length("score_facts"."address") = 20),
	CONSTRAINT "score_facts_counts" CHECK ("score_facts"."nonce" >= 0 and "score_facts"."transactions" >= 0)
);
--> statement-breakpoint
CREATE TABLE "score_provider_budgets" (
	"provider" text PRIMARY KEY NOT NULL,
	"next_at" timestamp with time zone NOT NULL,
	"next_background_at" timestamp with time zone NOT NULL,
	"day" date NOT NULL,
	"calls" bigint NOT NULL,
	"background_calls" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "score_provider_states" (
	"provider" text NOT NULL,
	"chain_id" bigint NOT NULL,
	"succeeded_at" timestamp (3) with time zone,
	"failed_at" timestamp (3) with time zone,
	"failure" text,
	CONSTRAINT "score_provider_states_provider_chain_id_pk" PRIMARY KEY("provider","chain_id")
);
--> statement-breakpoint
CREATE TABLE "score_signal_runs" (
	"id" integer PRIMARY KEY NOT NULL,
	"made_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "score_signal_runs_single" CHECK ("score_signal_runs"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE "score_signals" (
	"address" "bytea" PRIMARY KEY NOT NULL,
	"participation" integer NOT NULL,
	"rewards_bonus" integer NOT NULL,
	"operators" integer NOT NULL,
	"reason_weight" double precision NOT NULL,
	CONSTRAINT "score_signals_address_length" CHECK (octet_length("score_signals"."address") = 20),
	CONSTRAINT "score_signals_bonus_range" CHECK ("score_signals"."rewards_bonus" between 0 and 10)
);
--> statement-breakpoint
CREATE TABLE "score_wallets" (
	"address" "bytea" PRIMARY KEY NOT NULL,
	"asked_at" timestamp (3) with time zone NOT NULL,
	"refresh_at" timestamp (3) with time zone NOT NULL,
	"lease_id" uuid,
	"leased_until" timestamp (3) with time zone,
	"has_primary_name" boolean,
	"name_checked_at" timestamp (3) with time zone,
	CONSTRAINT "score_wallets_address_length" CHECK (octet_length("score_wallets"."address") = 20)
);
--> statement-breakpoint
CREATE TABLE "scores" (
	"id" uuid PRIMARY KEY NOT NULL,
	"address" "bytea" NOT NULL,
	"computed_at" timestamp (3) with time zone NOT NULL,
	"algorithm_version" integer NOT NULL,
	"source" text NOT NULL,
	"is_complete" boolean NOT NULL,
	"final_score" double precision NOT NULL,
	"result" jsonb NOT NULL,
	CONSTRAINT "scores_address_length" CHECK (octet_length("scores"."address") = 20),
	CONSTRAINT "scores_range" CHECK ("scores"."final_score" between 0 and 100),
	CONSTRAINT "scores_source_known" CHECK ("scores"."source" in ('engine', 'remote'))
);
--> statement-breakpoint
ALTER TABLE "airdrops" ALTER COLUMN "contract_address" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "airdrops" ALTER COLUMN "onchain_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "rank_cursors" ADD COLUMN "key_max" bigint DEFAULT -1 NOT NULL;--> statement-breakpoint
ALTER TABLE "airdrops" ADD COLUMN "admin_address" "bytea";--> statement-breakpoint
ALTER TABLE "airdrops" ADD COLUMN "creation_tx_hash" "bytea";--> statement-breakpoint
ALTER TABLE "airdrops" ADD COLUMN "creation_block" bigint;--> statement-breakpoint
ALTER TABLE "airdrops" ADD COLUMN "created_onchain_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "airdrops" ADD COLUMN "cancelled_onchain_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "airdrops" ADD COLUMN "refunded_wei" numeric(78, 0) DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "airdrops" ADD COLUMN "scanned_to_block" bigint;--> statement-breakpoint
ALTER TABLE "airdrops" ADD COLUMN "scanned_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "distributions" ADD COLUMN "round" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "distributions" ADD COLUMN "points" bigint;--> statement-breakpoint
ALTER TABLE "gift_cards" ADD COLUMN "code_fingerprint" "bytea";--> statement-breakpoint
ALTER TABLE "merkle_buckets" ADD COLUMN "round" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "merkle_buckets" ADD COLUMN "funded_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "merkle_buckets" ADD COLUMN "funding_tx_hash" "bytea";--> statement-breakpoint
ALTER TABLE "rewards" ADD COLUMN "token_read_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "rewards" ADD COLUMN "deadline_time_zone" text;--> statement-breakpoint
ALTER TABLE "rewards" ADD COLUMN "published_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "rewards" ADD COLUMN "distributed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "rewards" ADD COLUMN "cancelled_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "gift_card_nonces" ADD CONSTRAINT "gift_card_nonces_card" FOREIGN KEY ("point_system_id","card_id") REFERENCES "public"."gift_cards"("point_system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gift_card_reveals" ADD CONSTRAINT "gift_card_reveals_card_fk" FOREIGN KEY ("point_system_id","card_id") REFERENCES "public"."gift_cards"("point_system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "point_system_brands" ADD CONSTRAINT "point_system_brands_point_system_id_point_systems_id_fk" FOREIGN KEY ("point_system_id") REFERENCES "public"."point_systems"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "airdrop_transactions" ADD CONSTRAINT "airdrop_transactions_airdrop" FOREIGN KEY ("point_system_id","reward_id") REFERENCES "public"."airdrops"("point_system_id","reward_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "allocations" ADD CONSTRAINT "allocations_reward" FOREIGN KEY ("point_system_id","reward_id") REFERENCES "public"."rewards"("point_system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "claims_block" ON "claims" USING btree ("chain_id","contract","block_number");--> statement-breakpoint
CREATE INDEX "claims_account" ON "claims" USING btree ("chain_id","contract","onchain_id","account");--> statement-breakpoint
CREATE INDEX "claims_problem" ON "claims" USING btree ("chain_id","contract","block_number") WHERE "claims"."problem" is not null;--> statement-breakpoint
CREATE INDEX "ens_answers_keep_until" ON "ens_answers" USING btree ("keep_until");--> statement-breakpoint
CREATE INDEX "gift_card_nonces_expiry" ON "gift_card_nonces" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "gift_card_nonces_card" ON "gift_card_nonces" USING btree ("point_system_id","card_id");--> statement-breakpoint
CREATE INDEX "gift_card_reveals_feed" ON "gift_card_reveals" USING btree ("point_system_id","reward_id","revealed_at","id");--> statement-breakpoint
CREATE INDEX "gift_card_reveals_card" ON "gift_card_reveals" USING btree ("point_system_id","card_id","revealed_at");--> statement-breakpoint
CREATE INDEX "public_calls_expiry" ON "public_calls" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "airdrop_transactions_open" ON "airdrop_transactions" USING btree ("is_final","checked_at");--> statement-breakpoint
CREATE INDEX "score_wallets_due" ON "score_wallets" USING btree ("refresh_at");--> statement-breakpoint
CREATE INDEX "scores_wallet" ON "scores" USING btree ("address","computed_at");--> statement-breakpoint
CREATE INDEX "scores_age" ON "scores" USING btree ("computed_at");--> statement-breakpoint
CREATE INDEX "airdrops_scan" ON "airdrops" USING btree ("status","scanned_at");--> statement-breakpoint
CREATE INDEX "airdrops_onchain_id" ON "airdrops" USING btree ("chain_id","onchain_id");--> statement-breakpoint
CREATE INDEX "distributions_claimed" ON "distributions" USING btree ("point_system_id","reward_id","amount_wei") WHERE "distributions"."claimed_at" is not null;--> statement-breakpoint
CREATE INDEX "gift_cards_holder" ON "gift_cards" USING btree ("point_system_id","reward_id","address","id");--> statement-breakpoint
CREATE INDEX "gift_cards_recipients" ON "gift_cards" USING btree ("point_system_id","reward_id","distributed_at","id") WHERE "gift_cards"."address" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "gift_cards_fingerprint" ON "gift_cards" USING btree ("point_system_id","reward_id","code_key_id","code_fingerprint") WHERE "gift_cards"."code_fingerprint" is not null;--> statement-breakpoint
ALTER TABLE "gift_card_tiers" ADD CONSTRAINT "gift_card_tiers_min_points" UNIQUE("point_system_id","reward_id","min_points");--> statement-breakpoint
ALTER TABLE "airdrops" ADD CONSTRAINT "airdrops_onchain_whole" CHECK (("airdrops"."contract_address" is null) = ("airdrops"."onchain_id" is null) and ("airdrops"."status" <> 'active' or "airdrops"."onchain_id" is not null));--> statement-breakpoint
ALTER TABLE "airdrops" ADD CONSTRAINT "airdrops_creation_tx_hash_length" CHECK (octet_length("airdrops"."creation_tx_hash") = 32);--> statement-breakpoint
ALTER TABLE "gift_card_tiers" ADD CONSTRAINT "gift_card_tiers_min_points_range" CHECK ("gift_card_tiers"."min_points" between 1 and 9007199254740991);--> statement-breakpoint
ALTER TABLE "gift_cards" ADD CONSTRAINT "gift_cards_fingerprint_length" CHECK (octet_length("gift_cards"."code_fingerprint") = 32);--> statement-breakpoint
ALTER TABLE "merkle_buckets" ADD CONSTRAINT "merkle_buckets_funding_tx_hash_length" CHECK (octet_length("merkle_buckets"."funding_tx_hash") = 32);