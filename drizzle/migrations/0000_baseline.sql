CREATE TABLE "api_key_point_systems" (
	"api_key_id" uuid NOT NULL,
	"point_system_id" uuid NOT NULL,
	CONSTRAINT "api_key_point_systems_api_key_id_point_system_id_pk" PRIMARY KEY("api_key_id","point_system_id")
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"operator_id" uuid NOT NULL,
	"name" text NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"last_four" text NOT NULL,
	"permission" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "api_keys_token_hash_unique" UNIQUE("token_hash"),
	CONSTRAINT "api_keys_token_hash_length" CHECK (octet_length("api_keys"."token_hash") = 32),
	CONSTRAINT "api_keys_permission_known" CHECK ("api_keys"."permission" in ('trigger', 'read', 'all'))
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_log_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"point_system_id" uuid,
	"operator_id" uuid,
	"actor" text NOT NULL,
	"ip" text,
	"request_id" text,
	"action" text NOT NULL,
	"subject" text NOT NULL,
	"before" jsonb,
	"after" jsonb,
	CONSTRAINT "audit_log_action_shape" CHECK ("audit_log"."action" ~ '^[a-z_]+\.[a-z_]+$')
);
--> statement-breakpoint
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
CREATE TABLE "gift_card_tiers" (
	"point_system_id" uuid NOT NULL,
	"reward_id" uuid NOT NULL,
	"label" text NOT NULL,
	"position" integer NOT NULL,
	"min_points" bigint,
	CONSTRAINT "gift_card_tiers_point_system_id_reward_id_label_pk" PRIMARY KEY("point_system_id","reward_id","label"),
	CONSTRAINT "gift_card_tiers_min_points" UNIQUE("point_system_id","reward_id","min_points"),
	CONSTRAINT "gift_card_tiers_min_points_range" CHECK ("gift_card_tiers"."min_points" between 1 and 9007199254740991)
);
--> statement-breakpoint
CREATE TABLE "gift_cards" (
	"point_system_id" uuid NOT NULL,
	"reward_id" uuid NOT NULL,
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"tier_label" text NOT NULL,
	"address" "bytea",
	"code_ciphertext" "bytea" NOT NULL,
	"code_nonce" "bytea" NOT NULL,
	"code_key_id" text NOT NULL,
	"is_revealed" boolean DEFAULT false NOT NULL,
	"distributed_at" timestamp (3) with time zone,
	"claimed_at" timestamp (3) with time zone,
	"code_fingerprint" "bytea",
	CONSTRAINT "gift_cards_point_system_id_reward_id_id_pk" PRIMARY KEY("point_system_id","reward_id","id"),
	CONSTRAINT "gift_cards_id" UNIQUE("point_system_id","id"),
	CONSTRAINT "gift_cards_address_length" CHECK (octet_length("gift_cards"."address") = 20),
	CONSTRAINT "gift_cards_nonce_length" CHECK (octet_length("gift_cards"."code_nonce") = 12),
	CONSTRAINT "gift_cards_fingerprint_length" CHECK (octet_length("gift_cards"."code_fingerprint") = 32)
);
--> statement-breakpoint
CREATE TABLE "import_rows" (
	"point_system_id" uuid NOT NULL,
	"import_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"address" "bytea" NOT NULL,
	"points" bigint NOT NULL,
	"event_id" uuid,
	CONSTRAINT "import_rows_point_system_id_import_id_position_pk" PRIMARY KEY("point_system_id","import_id","position"),
	CONSTRAINT "import_rows_address_length" CHECK (octet_length("import_rows"."address") = 20),
	CONSTRAINT "import_rows_points_range" CHECK ("import_rows"."points" between 1 and 1000000000)
);
--> statement-breakpoint
CREATE TABLE "imports" (
	"point_system_id" uuid NOT NULL,
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"operator_id" uuid NOT NULL,
	"file_name" text NOT NULL,
	"csv" text NOT NULL,
	"has_header" boolean NOT NULL,
	"delimiter" text NOT NULL,
	"address_column" integer NOT NULL,
	"points_column" integer NOT NULL,
	"status" text DEFAULT 'draft' NOT NULL,
	"note" text,
	"wallets" bigint DEFAULT 0 NOT NULL,
	"wallets_done" bigint DEFAULT 0 NOT NULL,
	"points" bigint DEFAULT 0 NOT NULL,
	"wallets_skipped" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"committed_at" timestamp (3) with time zone,
	"undone_at" timestamp (3) with time zone,
	CONSTRAINT "imports_point_system_id_id_pk" PRIMARY KEY("point_system_id","id"),
	CONSTRAINT "imports_status_known" CHECK ("imports"."status" in ('draft', 'committing', 'committed', 'undoing', 'undone')),
	CONSTRAINT "imports_delimiter_known" CHECK ("imports"."delimiter" in ('comma', 'semicolon', 'tab'))
);
--> statement-breakpoint
CREATE TABLE "blacklist" (
	"point_system_id" uuid NOT NULL,
	"address" "bytea" NOT NULL,
	"reason" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "blacklist_point_system_id_address_pk" PRIMARY KEY("point_system_id","address"),
	CONSTRAINT "blacklist_address_length" CHECK (octet_length("blacklist"."address") = 20)
);
--> statement-breakpoint
CREATE TABLE "point_events" (
	"point_system_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "point_events_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"address" "bytea" NOT NULL,
	"points" bigint NOT NULL,
	"balance" bigint NOT NULL,
	"event" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"api_key_id" uuid,
	"idempotency_key" text,
	"voids" uuid,
	"operator_id" uuid,
	"note" text,
	"import_id" uuid,
	"opens_wallet" boolean,
	CONSTRAINT "point_events_point_system_id_id_pk" PRIMARY KEY("point_system_id","id"),
	CONSTRAINT "point_events_address_length" CHECK (octet_length("point_events"."address") = 20),
	CONSTRAINT "point_events_points_range" CHECK (case when "point_events"."voids" is null then "point_events"."points" else -"point_events"."points" end between 1 and 1000000000),
	CONSTRAINT "point_events_correction_shape" CHECK ("point_events"."voids" is null or "point_events"."event" is null),
	CONSTRAINT "point_events_balance_range" CHECK ("point_events"."balance" between 0 and 9007199254740991),
	CONSTRAINT "point_events_note_length" CHECK (length("point_events"."note") between 1 and 500),
	CONSTRAINT "point_events_idempotency_length" CHECK (length("point_events"."idempotency_key") between 1 and 255)
);
--> statement-breakpoint
CREATE TABLE "point_system_totals" (
	"point_system_id" uuid PRIMARY KEY NOT NULL,
	"wallets" bigint DEFAULT 0 NOT NULL,
	"blacklisted_wallets" bigint DEFAULT 0 NOT NULL,
	"events" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "point_system_totals_range" CHECK ("point_system_totals"."wallets" >= "point_system_totals"."blacklisted_wallets" and "point_system_totals"."blacklisted_wallets" >= 0 and "point_system_totals"."events" >= 0)
);
--> statement-breakpoint
CREATE TABLE "wallets" (
	"point_system_id" uuid NOT NULL,
	"address" "bytea" NOT NULL,
	"points" bigint DEFAULT 0 NOT NULL,
	"events" bigint DEFAULT 0 NOT NULL,
	"is_blacklisted" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "wallets_point_system_id_address_pk" PRIMARY KEY("point_system_id","address"),
	CONSTRAINT "wallets_address_length" CHECK (octet_length("wallets"."address") = 20),
	CONSTRAINT "wallets_points_range" CHECK ("wallets"."points" between 0 and 9007199254740991),
	CONSTRAINT "wallets_events_range" CHECK ("wallets"."events" >= 0)
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
CREATE TABLE "account_links" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"kind" text NOT NULL,
	"operator_id" uuid,
	"point_system_id" uuid,
	"role" text,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "account_links_token_hash_unique" UNIQUE("token_hash"),
	CONSTRAINT "account_links_token_hash_length" CHECK (octet_length("account_links"."token_hash") = 32),
	CONSTRAINT "account_links_kind_known" CHECK ("account_links"."kind" in ('invitation', 'password_reset')),
	CONSTRAINT "account_links_role_known" CHECK ("account_links"."role" in ('editor', 'viewer')),
	CONSTRAINT "account_links_terms" CHECK (("account_links"."kind" = 'password_reset') = ("account_links"."operator_id" is not null)
        and ("account_links"."point_system_id" is null) = ("account_links"."role" is null))
);
--> statement-breakpoint
CREATE TABLE "operators" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"password_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"is_administrator" boolean DEFAULT false NOT NULL,
	CONSTRAINT "operators_email_unique" UNIQUE("email"),
	CONSTRAINT "operators_email_lowercase" CHECK ("operators"."email" = lower("operators"."email"))
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
CREATE TABLE "point_system_members" (
	"point_system_id" uuid NOT NULL,
	"operator_id" uuid NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "point_system_members_point_system_id_operator_id_pk" PRIMARY KEY("point_system_id","operator_id"),
	CONSTRAINT "point_system_members_role_known" CHECK ("point_system_members"."role" in ('editor', 'viewer'))
);
--> statement-breakpoint
CREATE TABLE "point_systems" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"operator_id" uuid NOT NULL,
	"name" text NOT NULL,
	"short_id" text NOT NULL,
	"slug" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "point_systems_short_id_unique" UNIQUE("short_id"),
	CONSTRAINT "point_systems_slug_unique" UNIQUE("slug"),
	CONSTRAINT "point_systems_short_id_shape" CHECK ("point_systems"."short_id" ~ '^[0-9A-Z]{4}$'),
	CONSTRAINT "point_systems_slug_shape" CHECK ("point_systems"."slug" ~ '^[a-z0-9]+(-[a-z0-9]+)*$')
);
--> statement-breakpoint
CREATE TABLE "triggers" (
	"point_system_id" uuid NOT NULL,
	"key" text NOT NULL,
	"name" text NOT NULL,
	"points" bigint NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "triggers_point_system_id_key_pk" PRIMARY KEY("point_system_id","key"),
	CONSTRAINT "triggers_key_shape" CHECK ("triggers"."key" ~ '^[a-z0-9_]{1,100}$'),
	CONSTRAINT "triggers_points_range" CHECK ("triggers"."points" between 1 and 1000000000)
);
--> statement-breakpoint
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
	"seq" bigint NOT NULL,
	"key_max" bigint DEFAULT -1 NOT NULL,
	"wallets_from_band" integer[] DEFAULT '{}' NOT NULL
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
CREATE TABLE "airdrops" (
	"point_system_id" uuid NOT NULL,
	"reward_id" uuid NOT NULL,
	"chain_id" integer NOT NULL,
	"contract_address" "bytea",
	"onchain_id" numeric(78, 0),
	"status" text NOT NULL,
	"admin_address" "bytea",
	"creation_tx_hash" "bytea",
	"creation_block" bigint,
	"created_onchain_at" timestamp (3) with time zone,
	"cancelled_onchain_at" timestamp (3) with time zone,
	"refunded_wei" numeric(78, 0) DEFAULT 0 NOT NULL,
	"scanned_to_block" bigint,
	"scanned_at" timestamp (3) with time zone,
	CONSTRAINT "airdrops_point_system_id_reward_id_pk" PRIMARY KEY("point_system_id","reward_id"),
	CONSTRAINT "airdrops_onchain" UNIQUE("chain_id","contract_address","onchain_id"),
	CONSTRAINT "airdrops_status_known" CHECK ("airdrops"."status" in ('building', 'ready', 'active', 'ended')),
	CONSTRAINT "airdrops_onchain_whole" CHECK (("airdrops"."contract_address" is null) = ("airdrops"."onchain_id" is null) and ("airdrops"."status" <> 'active' or "airdrops"."onchain_id" is not null)),
	CONSTRAINT "airdrops_creation_tx_hash_length" CHECK (octet_length("airdrops"."creation_tx_hash") = 32)
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
CREATE TABLE "distributions" (
	"point_system_id" uuid NOT NULL,
	"reward_id" uuid NOT NULL,
	"address" "bytea" NOT NULL,
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"amount_wei" numeric(78, 0) NOT NULL,
	"bucket" integer,
	"leaf_index" integer,
	"distributed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"claimed_at" timestamp (3) with time zone,
	"claim_tx_hash" "bytea",
	"round" integer DEFAULT 0 NOT NULL,
	"points" bigint,
	CONSTRAINT "distributions_point_system_id_reward_id_address_pk" PRIMARY KEY("point_system_id","reward_id","address"),
	CONSTRAINT "distributions_id" UNIQUE("point_system_id","id"),
	CONSTRAINT "distributions_leaf" UNIQUE("point_system_id","reward_id","bucket","leaf_index"),
	CONSTRAINT "distributions_address_length" CHECK (octet_length("distributions"."address") = 20),
	CONSTRAINT "distributions_amount_range" CHECK ("distributions"."amount_wei" between 0 and 2::numeric ^ 256 - 1),
	CONSTRAINT "distributions_leaf_whole" CHECK (("distributions"."bucket" is null) = ("distributions"."leaf_index" is null)),
	CONSTRAINT "distributions_claim_tx_hash_length" CHECK (octet_length("distributions"."claim_tx_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "merkle_buckets" (
	"point_system_id" uuid NOT NULL,
	"reward_id" uuid NOT NULL,
	"bucket" integer NOT NULL,
	"root" "bytea",
	"total_amount_wei" numeric(78, 0) NOT NULL,
	"round" integer DEFAULT 0 NOT NULL,
	"funded_at" timestamp (3) with time zone,
	"funding_tx_hash" "bytea",
	CONSTRAINT "merkle_buckets_point_system_id_reward_id_bucket_pk" PRIMARY KEY("point_system_id","reward_id","bucket"),
	CONSTRAINT "merkle_buckets_root_length" CHECK (octet_length("merkle_buckets"."root") = 32),
	CONSTRAINT "merkle_buckets_funding_tx_hash_length" CHECK (octet_length("merkle_buckets"."funding_tx_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "rewards" (
	"point_system_id" uuid NOT NULL,
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"kind" text NOT NULL,
	"campaign_id" text,
	"campaign_name" text NOT NULL,
	"token_type" text,
	"token_address" "bytea",
	"token_symbol" text,
	"token_decimals" integer,
	"chain_id" integer,
	"total_amount_wei" numeric(78, 0),
	"min_points" bigint DEFAULT 0 NOT NULL,
	"max_points" bigint,
	"status" text NOT NULL,
	"claim_deadline" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"token_read_at" timestamp (3) with time zone,
	"deadline_time_zone" text,
	"published_at" timestamp (3) with time zone,
	"distributed_at" timestamp (3) with time zone,
	"cancelled_at" timestamp (3) with time zone,
	CONSTRAINT "rewards_point_system_id_id_pk" PRIMARY KEY("point_system_id","id"),
	CONSTRAINT "rewards_campaign_id_unique" UNIQUE("campaign_id"),
	CONSTRAINT "rewards_kind_known" CHECK ("rewards"."kind" in ('token', 'giftcard')),
	CONSTRAINT "rewards_status_known" CHECK ("rewards"."status" in ('draft', 'active', 'distributed', 'cancelled')),
	CONSTRAINT "rewards_token_type_known" CHECK ("rewards"."token_type" in ('ethereum', 'solana', 'bitcoin', 'usdc', 'usdt', 'custom')),
	CONSTRAINT "rewards_chain_supported" CHECK ("rewards"."chain_id" in (5031, 50312, 8453, 84532)),
	CONSTRAINT "rewards_campaign_id_shape" CHECK ("rewards"."campaign_id" ~ '^CMP-[0-9A-Za-z_-]{1,32}$'),
	CONSTRAINT "rewards_token_decimals_range" CHECK ("rewards"."token_decimals" between 0 and 255),
	CONSTRAINT "rewards_total_amount_range" CHECK ("rewards"."total_amount_wei" between 0 and 2::numeric ^ 256 - 1),
	CONSTRAINT "rewards_min_points_range" CHECK ("rewards"."min_points" between 0 and 9007199254740991),
	CONSTRAINT "rewards_max_points_range" CHECK ("rewards"."max_points" between 1 and 9007199254740991),
	CONSTRAINT "rewards_token_terms" CHECK ("rewards"."kind" = 'giftcard' or ("rewards"."campaign_id" is not null and "rewards"."token_type" is not null and "rewards"."token_symbol" is not null and "rewards"."token_decimals" is not null and "rewards"."total_amount_wei" is not null))
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
CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"operator_id" uuid NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"absolute_expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ip" text DEFAULT '' NOT NULL,
	"user_agent" text DEFAULT '' NOT NULL,
	CONSTRAINT "sessions_id_is_hash" CHECK ("sessions"."id" ~ '^[0-9a-f]{64}$'),
	CONSTRAINT "sessions_expiry_bounded" CHECK ("sessions"."expires_at" <= "sessions"."absolute_expires_at")
);
--> statement-breakpoint
CREATE TABLE "set_up_tokens" (
	"token_hash" "bytea" PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "set_up_tokens_hash_length" CHECK (octet_length("set_up_tokens"."token_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "sign_in_attempts" (
	"subject" "bytea" PRIMARY KEY NOT NULL,
	"attempted_at" timestamp with time zone[] NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "sign_in_attempts_subject_length" CHECK (octet_length("sign_in_attempts"."subject") = 32)
);
--> statement-breakpoint
CREATE TABLE "daily_totals" (
	"point_system_id" uuid NOT NULL,
	"day" date NOT NULL,
	"points" bigint DEFAULT 0 NOT NULL,
	"events" bigint DEFAULT 0 NOT NULL,
	"active_wallets" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "daily_totals_point_system_id_day_pk" PRIMARY KEY("point_system_id","day")
);
--> statement-breakpoint
CREATE TABLE "daily_trigger_totals" (
	"point_system_id" uuid NOT NULL,
	"trigger_key" text NOT NULL,
	"day" date NOT NULL,
	"points" bigint DEFAULT 0 NOT NULL,
	"events" bigint DEFAULT 0 NOT NULL,
	"last_fired_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "daily_trigger_totals_point_system_id_trigger_key_day_pk" PRIMARY KEY("point_system_id","trigger_key","day")
);
--> statement-breakpoint
CREATE TABLE "refused_calls" (
	"point_system_id" uuid NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"code" text NOT NULL,
	"calls" bigint NOT NULL,
	CONSTRAINT "refused_calls_point_system_id_hour_code_pk" PRIMARY KEY("point_system_id","hour","code")
);
--> statement-breakpoint
CREATE TABLE "statistics_cursors" (
	"point_system_id" uuid PRIMARY KEY NOT NULL,
	"seq" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "api_key_point_systems" ADD CONSTRAINT "api_key_point_systems_api_key_id_api_keys_id_fk" FOREIGN KEY ("api_key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_key_point_systems" ADD CONSTRAINT "api_key_point_systems_point_system_id_point_systems_id_fk" FOREIGN KEY ("point_system_id") REFERENCES "public"."point_systems"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gift_card_nonces" ADD CONSTRAINT "gift_card_nonces_card" FOREIGN KEY ("point_system_id","card_id") REFERENCES "public"."gift_cards"("point_system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gift_card_reveals" ADD CONSTRAINT "gift_card_reveals_card_fk" FOREIGN KEY ("point_system_id","card_id") REFERENCES "public"."gift_cards"("point_system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gift_card_tiers" ADD CONSTRAINT "gift_card_tiers_reward" FOREIGN KEY ("point_system_id","reward_id") REFERENCES "public"."rewards"("point_system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gift_cards" ADD CONSTRAINT "gift_cards_tier" FOREIGN KEY ("point_system_id","reward_id","tier_label") REFERENCES "public"."gift_card_tiers"("point_system_id","reward_id","label") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "account_links" ADD CONSTRAINT "account_links_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "account_links" ADD CONSTRAINT "account_links_created_by_operators_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."operators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "point_system_brands" ADD CONSTRAINT "point_system_brands_point_system_id_point_systems_id_fk" FOREIGN KEY ("point_system_id") REFERENCES "public"."point_systems"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "point_system_members" ADD CONSTRAINT "point_system_members_point_system_id_point_systems_id_fk" FOREIGN KEY ("point_system_id") REFERENCES "public"."point_systems"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "point_system_members" ADD CONSTRAINT "point_system_members_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "point_systems" ADD CONSTRAINT "point_systems_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "triggers" ADD CONSTRAINT "triggers_point_system_id_point_systems_id_fk" FOREIGN KEY ("point_system_id") REFERENCES "public"."point_systems"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "airdrop_transactions" ADD CONSTRAINT "airdrop_transactions_airdrop" FOREIGN KEY ("point_system_id","reward_id") REFERENCES "public"."airdrops"("point_system_id","reward_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "airdrops" ADD CONSTRAINT "airdrops_reward" FOREIGN KEY ("point_system_id","reward_id") REFERENCES "public"."rewards"("point_system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "allocations" ADD CONSTRAINT "allocations_reward" FOREIGN KEY ("point_system_id","reward_id") REFERENCES "public"."rewards"("point_system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "distributions" ADD CONSTRAINT "distributions_reward" FOREIGN KEY ("point_system_id","reward_id") REFERENCES "public"."rewards"("point_system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "merkle_buckets" ADD CONSTRAINT "merkle_buckets_reward" FOREIGN KEY ("point_system_id","reward_id") REFERENCES "public"."rewards"("point_system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rewards" ADD CONSTRAINT "rewards_point_system_id_point_systems_id_fk" FOREIGN KEY ("point_system_id") REFERENCES "public"."point_systems"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_key_point_systems_point_system" ON "api_key_point_systems" USING btree ("point_system_id");--> statement-breakpoint
CREATE INDEX "api_keys_operator" ON "api_keys" USING btree ("operator_id");--> statement-breakpoint
CREATE INDEX "audit_log_point_system" ON "audit_log" USING btree ("point_system_id","id");--> statement-breakpoint
CREATE INDEX "audit_log_operator" ON "audit_log" USING btree ("operator_id","id");--> statement-breakpoint
CREATE INDEX "claims_block" ON "claims" USING btree ("chain_id","contract","block_number");--> statement-breakpoint
CREATE INDEX "claims_account" ON "claims" USING btree ("chain_id","contract","onchain_id","account");--> statement-breakpoint
CREATE INDEX "claims_problem" ON "claims" USING btree ("chain_id","contract","block_number") WHERE "claims"."problem" is not null;--> statement-breakpoint
CREATE INDEX "ens_answers_keep_until" ON "ens_answers" USING btree ("keep_until");--> statement-breakpoint
CREATE INDEX "gift_card_nonces_expiry" ON "gift_card_nonces" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "gift_card_nonces_card" ON "gift_card_nonces" USING btree ("point_system_id","card_id");--> statement-breakpoint
CREATE INDEX "gift_card_reveals_feed" ON "gift_card_reveals" USING btree ("point_system_id","reward_id","revealed_at","id");--> statement-breakpoint
CREATE INDEX "gift_card_reveals_card" ON "gift_card_reveals" USING btree ("point_system_id","card_id","revealed_at");--> statement-breakpoint
CREATE INDEX "gift_cards_wallet" ON "gift_cards" USING btree ("point_system_id","address");--> statement-breakpoint
CREATE INDEX "gift_cards_holder" ON "gift_cards" USING btree ("point_system_id","reward_id","address","id");--> statement-breakpoint
CREATE INDEX "gift_cards_recipients" ON "gift_cards" USING btree ("point_system_id","reward_id","distributed_at","id") WHERE "gift_cards"."address" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "gift_cards_fingerprint" ON "gift_cards" USING btree ("point_system_id","reward_id","code_key_id","code_fingerprint") WHERE "gift_cards"."code_fingerprint" is not null;--> statement-breakpoint
CREATE INDEX "imports_unfinished" ON "imports" USING btree ("created_at") WHERE "imports"."status" in ('committing', 'undoing');--> statement-breakpoint
CREATE INDEX "blacklist_feed" ON "blacklist" USING btree ("point_system_id","created_at","address");--> statement-breakpoint
CREATE INDEX "point_events_seq" ON "point_events" USING btree ("point_system_id","seq");--> statement-breakpoint
CREATE INDEX "point_events_feed" ON "point_events" USING btree ("point_system_id","created_at","id") WHERE "point_events"."voids" is null;--> statement-breakpoint
CREATE INDEX "point_events_wallet_feed" ON "point_events" USING btree ("point_system_id","address","created_at","id") WHERE "point_events"."voids" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "point_events_idempotency" ON "point_events" USING btree ("api_key_id","idempotency_key") WHERE "point_events"."idempotency_key" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "point_events_voids" ON "point_events" USING btree ("point_system_id","voids") WHERE "point_events"."voids" is not null;--> statement-breakpoint
CREATE INDEX "point_events_import" ON "point_events" USING btree ("point_system_id","import_id","seq") WHERE "point_events"."import_id" is not null;--> statement-breakpoint
CREATE INDEX "wallets_board" ON "wallets" USING btree ("point_system_id","points" DESC NULLS FIRST,"address") WHERE not "wallets"."is_blacklisted";--> statement-breakpoint
CREATE INDEX "public_calls_expiry" ON "public_calls" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "account_links_point_system" ON "account_links" USING btree ("point_system_id");--> statement-breakpoint
CREATE INDEX "account_links_expiry" ON "account_links" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "point_system_members_operator" ON "point_system_members" USING btree ("operator_id");--> statement-breakpoint
CREATE INDEX "point_systems_operator" ON "point_systems" USING btree ("operator_id");--> statement-breakpoint
CREATE INDEX "point_systems_deleted" ON "point_systems" USING btree ("deleted_at") WHERE "point_systems"."deleted_at" is not null;--> statement-breakpoint
CREATE INDEX "airdrop_transactions_open" ON "airdrop_transactions" USING btree ("is_final","checked_at");--> statement-breakpoint
CREATE INDEX "airdrops_scan" ON "airdrops" USING btree ("status","scanned_at");--> statement-breakpoint
CREATE INDEX "airdrops_onchain_id" ON "airdrops" USING btree ("chain_id","onchain_id");--> statement-breakpoint
CREATE INDEX "distributions_wallet" ON "distributions" USING btree ("point_system_id","address");--> statement-breakpoint
CREATE INDEX "distributions_claimed" ON "distributions" USING btree ("point_system_id","reward_id","amount_wei") WHERE "distributions"."claimed_at" is not null;--> statement-breakpoint
CREATE INDEX "score_wallets_due" ON "score_wallets" USING btree ("refresh_at");--> statement-breakpoint
CREATE INDEX "scores_wallet" ON "scores" USING btree ("address","computed_at");--> statement-breakpoint
CREATE INDEX "scores_age" ON "scores" USING btree ("computed_at");--> statement-breakpoint
CREATE INDEX "sessions_operator" ON "sessions" USING btree ("operator_id");--> statement-breakpoint
CREATE INDEX "sessions_expiry" ON "sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sign_in_attempts_expiry" ON "sign_in_attempts" USING btree ("expires_at");
--> statement-breakpoint
-- From here on: properties of tables that Drizzle's schema cannot express.
--
-- No call waits for the disk, and a crash of PostgreSQL forgets one minute of calls.
ALTER TABLE "public_calls" SET UNLOGGED;
--> statement-breakpoint
-- Room on each page, so that a count that changes stays where it is.
ALTER TABLE "rank_counts" SET (fillfactor = 70);
--> statement-breakpoint
-- Every rank reads it: neither compressed nor stored elsewhere. Below 2^53 points there are 1,216 bands.
ALTER TABLE "rank_cursors" ALTER COLUMN "wallets_from_band" SET STORAGE PLAIN;
