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
	CONSTRAINT "api_keys_token_hash_unique" UNIQUE("token_hash"),
	CONSTRAINT "api_keys_token_hash_length" CHECK (octet_length("api_keys"."token_hash") = 32),
	CONSTRAINT "api_keys_permission_known" CHECK ("api_keys"."permission" in ('trigger', 'read', 'all'))
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
	CONSTRAINT "point_events_point_system_id_id_pk" PRIMARY KEY("point_system_id","id"),
	CONSTRAINT "point_events_address_length" CHECK (octet_length("point_events"."address") = 20),
	CONSTRAINT "point_events_points_range" CHECK ("point_events"."points" between 1 and 1000000000),
	CONSTRAINT "point_events_balance_range" CHECK ("point_events"."balance" between 1 and 9007199254740991),
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
CREATE TABLE "operators" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"password_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "operators_email_unique" UNIQUE("email"),
	CONSTRAINT "operators_email_lowercase" CHECK ("operators"."email" = lower("operators"."email"))
);
--> statement-breakpoint
CREATE TABLE "point_systems" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"operator_id" uuid NOT NULL,
	"name" text NOT NULL,
	"short_id" text NOT NULL,
	"slug" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
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
CREATE TABLE "airdrops" (
	"point_system_id" uuid NOT NULL,
	"reward_id" uuid NOT NULL,
	"chain_id" integer NOT NULL,
	"contract_address" "bytea" NOT NULL,
	"onchain_id" numeric(78, 0) NOT NULL,
	"status" text NOT NULL,
	CONSTRAINT "airdrops_point_system_id_reward_id_pk" PRIMARY KEY("point_system_id","reward_id"),
	CONSTRAINT "airdrops_onchain" UNIQUE("chain_id","contract_address","onchain_id"),
	CONSTRAINT "airdrops_status_known" CHECK ("airdrops"."status" in ('building', 'ready', 'active', 'ended'))
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
	CONSTRAINT "distributions_point_system_id_reward_id_address_pk" PRIMARY KEY("point_system_id","reward_id","address"),
	CONSTRAINT "distributions_id" UNIQUE("point_system_id","id"),
	CONSTRAINT "distributions_leaf" UNIQUE("point_system_id","reward_id","bucket","leaf_index"),
	CONSTRAINT "distributions_address_length" CHECK (octet_length("distributions"."address") = 20),
	CONSTRAINT "distributions_amount_range" CHECK ("distributions"."amount_wei" between 0 and 2::numeric ^ 256 - 1),
	CONSTRAINT "distributions_leaf_whole" CHECK (("distributions"."bucket" is null) = ("distributions"."leaf_index" is null)),
	CONSTRAINT "distributions_claim_tx_hash_length" CHECK (octet_length("distributions"."claim_tx_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "gift_card_tiers" (
	"point_system_id" uuid NOT NULL,
	"reward_id" uuid NOT NULL,
	"label" text NOT NULL,
	"position" integer NOT NULL,
	"min_points" bigint,
	CONSTRAINT "gift_card_tiers_point_system_id_reward_id_label_pk" PRIMARY KEY("point_system_id","reward_id","label")
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
	CONSTRAINT "gift_cards_point_system_id_reward_id_id_pk" PRIMARY KEY("point_system_id","reward_id","id"),
	CONSTRAINT "gift_cards_id" UNIQUE("point_system_id","id"),
	CONSTRAINT "gift_cards_address_length" CHECK (octet_length("gift_cards"."address") = 20),
	CONSTRAINT "gift_cards_nonce_length" CHECK (octet_length("gift_cards"."code_nonce") = 12)
);
--> statement-breakpoint
CREATE TABLE "merkle_buckets" (
	"point_system_id" uuid NOT NULL,
	"reward_id" uuid NOT NULL,
	"bucket" integer NOT NULL,
	"root" "bytea",
	"total_amount_wei" numeric(78, 0) NOT NULL,
	CONSTRAINT "merkle_buckets_point_system_id_reward_id_bucket_pk" PRIMARY KEY("point_system_id","reward_id","bucket"),
	CONSTRAINT "merkle_buckets_root_length" CHECK (octet_length("merkle_buckets"."root") = 32)
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
CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"operator_id" uuid NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"absolute_expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
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
ALTER TABLE "api_key_point_systems" ADD CONSTRAINT "api_key_point_systems_api_key_id_api_keys_id_fk" FOREIGN KEY ("api_key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_key_point_systems" ADD CONSTRAINT "api_key_point_systems_point_system_id_point_systems_id_fk" FOREIGN KEY ("point_system_id") REFERENCES "public"."point_systems"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "point_systems" ADD CONSTRAINT "point_systems_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "triggers" ADD CONSTRAINT "triggers_point_system_id_point_systems_id_fk" FOREIGN KEY ("point_system_id") REFERENCES "public"."point_systems"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "airdrops" ADD CONSTRAINT "airdrops_reward" FOREIGN KEY ("point_system_id","reward_id") REFERENCES "public"."rewards"("point_system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "distributions" ADD CONSTRAINT "distributions_reward" FOREIGN KEY ("point_system_id","reward_id") REFERENCES "public"."rewards"("point_system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gift_card_tiers" ADD CONSTRAINT "gift_card_tiers_reward" FOREIGN KEY ("point_system_id","reward_id") REFERENCES "public"."rewards"("point_system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gift_cards" ADD CONSTRAINT "gift_cards_tier" FOREIGN KEY ("point_system_id","reward_id","tier_label") REFERENCES "public"."gift_card_tiers"("point_system_id","reward_id","label") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "merkle_buckets" ADD CONSTRAINT "merkle_buckets_reward" FOREIGN KEY ("point_system_id","reward_id") REFERENCES "public"."rewards"("point_system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rewards" ADD CONSTRAINT "rewards_point_system_id_point_systems_id_fk" FOREIGN KEY ("point_system_id") REFERENCES "public"."point_systems"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_key_point_systems_point_system" ON "api_key_point_systems" USING btree ("point_system_id");--> statement-breakpoint
CREATE INDEX "api_keys_operator" ON "api_keys" USING btree ("operator_id");--> statement-breakpoint
CREATE INDEX "point_events_seq" ON "point_events" USING btree ("point_system_id","seq");--> statement-breakpoint
CREATE INDEX "point_events_feed" ON "point_events" USING btree ("point_system_id","created_at","id");--> statement-breakpoint
CREATE INDEX "point_events_wallet_feed" ON "point_events" USING btree ("point_system_id","address","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "point_events_idempotency" ON "point_events" USING btree ("api_key_id","idempotency_key") WHERE "point_events"."idempotency_key" is not null;--> statement-breakpoint
CREATE INDEX "wallets_board" ON "wallets" USING btree ("point_system_id","points" DESC NULLS FIRST,"address") WHERE not "wallets"."is_blacklisted";--> statement-breakpoint
CREATE INDEX "point_systems_operator" ON "point_systems" USING btree ("operator_id");--> statement-breakpoint
CREATE INDEX "distributions_wallet" ON "distributions" USING btree ("point_system_id","address");--> statement-breakpoint
CREATE INDEX "gift_cards_wallet" ON "gift_cards" USING btree ("point_system_id","address");--> statement-breakpoint
CREATE INDEX "sessions_operator" ON "sessions" USING btree ("operator_id");--> statement-breakpoint
CREATE INDEX "sessions_expiry" ON "sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sign_in_attempts_expiry" ON "sign_in_attempts" USING btree ("expires_at");