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
ALTER TABLE "airdrops" ADD COLUMN "scanned_to_block" bigint;--> statement-breakpoint
ALTER TABLE "airdrops" ADD COLUMN "scanned_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "airdrop_transactions" ADD CONSTRAINT "airdrop_transactions_airdrop" FOREIGN KEY ("point_system_id","reward_id") REFERENCES "public"."airdrops"("point_system_id","reward_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "airdrop_transactions_open" ON "airdrop_transactions" USING btree ("is_final","checked_at");--> statement-breakpoint
CREATE INDEX "airdrops_scan" ON "airdrops" USING btree ("status","scanned_at");--> statement-breakpoint
CREATE INDEX "distributions_claimed" ON "distributions" USING btree ("point_system_id","reward_id","amount_wei") WHERE "distributions"."claimed_at" is not null;