ALTER TABLE "point_systems" ADD COLUMN "contract_wallet_chain_id" integer;--> statement-breakpoint
ALTER TABLE "airdrops" ADD COLUMN "former_admin_address" "bytea";--> statement-breakpoint
ALTER TABLE "airdrops" ADD COLUMN "admin_named_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "confirmed_at" timestamp (3) with time zone DEFAULT now() NOT NULL;