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
CREATE INDEX "score_wallets_due" ON "score_wallets" USING btree ("refresh_at");--> statement-breakpoint
CREATE INDEX "scores_wallet" ON "scores" USING btree ("address","computed_at");--> statement-breakpoint
CREATE INDEX "scores_age" ON "scores" USING btree ("computed_at");