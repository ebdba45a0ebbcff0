CREATE TABLE "wallet_nonces" (
	"point_system_id" uuid NOT NULL,
	"nonce_hash" "bytea" NOT NULL,
	"address" "bytea" NOT NULL,
	"purpose" text NOT NULL,
	"chain_id" integer NOT NULL,
	"issued_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "wallet_nonces_point_system_id_nonce_hash_pk" PRIMARY KEY("point_system_id","nonce_hash"),
	CONSTRAINT "wallet_nonces_hash_length" CHECK (octet_length("wallet_nonces"."nonce_hash") = 32),
	CONSTRAINT "wallet_nonces_address_length" CHECK (octet_length("wallet_nonces"."address") = 20)
);
--> statement-breakpoint
DROP TABLE "gift_card_nonces" CASCADE;--> statement-breakpoint
DROP TABLE "wallet_link_nonces" CASCADE;--> statement-breakpoint
CREATE INDEX "wallet_nonces_expiry" ON "wallet_nonces" USING btree ("expires_at");