CREATE TABLE "wallet_link_nonces" (
	"point_system_id" uuid NOT NULL,
	"nonce_hash" "bytea" NOT NULL,
	"address" "bytea" NOT NULL,
	"primary_address" "bytea" NOT NULL,
	"chain_id" integer NOT NULL,
	"issued_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "wallet_link_nonces_point_system_id_nonce_hash_pk" PRIMARY KEY("point_system_id","nonce_hash"),
	CONSTRAINT "wallet_link_nonces_hash_length" CHECK (octet_length("wallet_link_nonces"."nonce_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "wallet_links" (
	"point_system_id" uuid NOT NULL,
	"address" "bytea" NOT NULL,
	"primary_address" "bytea" NOT NULL,
	"linked_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"operator_id" uuid,
	"entry_created_at" timestamp (3) with time zone,
	"entry_last_credit_at" timestamp (3) with time zone,
	CONSTRAINT "wallet_links_point_system_id_address_pk" PRIMARY KEY("point_system_id","address"),
	CONSTRAINT "wallet_links_address_length" CHECK (octet_length("wallet_links"."address") = 20),
	CONSTRAINT "wallet_links_primary_length" CHECK (octet_length("wallet_links"."primary_address") = 20),
	CONSTRAINT "wallet_links_two_wallets" CHECK ("wallet_links"."address" <> "wallet_links"."primary_address")
);
--> statement-breakpoint
ALTER TABLE "point_events" DROP CONSTRAINT "point_events_points_range";--> statement-breakpoint
ALTER TABLE "point_events" ADD COLUMN "named_address" "bytea";--> statement-breakpoint
ALTER TABLE "point_events" ADD COLUMN "moved_events" bigint;--> statement-breakpoint
CREATE INDEX "wallet_link_nonces_expiry" ON "wallet_link_nonces" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "wallet_links_primary" ON "wallet_links" USING btree ("point_system_id","primary_address");--> statement-breakpoint
CREATE INDEX "wallet_links_feed" ON "wallet_links" USING btree ("point_system_id","linked_at","address");--> statement-breakpoint
CREATE INDEX "point_events_moves" ON "point_events" USING btree ("point_system_id","address","seq") WHERE "point_events"."moved_events" < 0;--> statement-breakpoint
CREATE INDEX "point_events_corrected_at" ON "point_events" USING btree ("point_system_id","address") WHERE "point_events"."voids" is not null and "point_events"."named_address" is not null;--> statement-breakpoint
CREATE INDEX "point_events_corrected_of" ON "point_events" USING btree ("point_system_id","named_address") WHERE "point_events"."voids" is not null and "point_events"."named_address" is not null;--> statement-breakpoint
ALTER TABLE "point_events" ADD CONSTRAINT "point_events_move_shape" CHECK ("point_events"."moved_events" is null or "point_events"."named_address" is not null and case when "point_events"."voids" is null then "point_events"."points" < 0 and "point_events"."moved_events" < 0 else "point_events"."points" > 0 and "point_events"."moved_events" > 0 end);--> statement-breakpoint
ALTER TABLE "point_events" ADD CONSTRAINT "point_events_named_length" CHECK (octet_length("point_events"."named_address") = 20);--> statement-breakpoint
ALTER TABLE "point_events" ADD CONSTRAINT "point_events_points_range" CHECK (case when "point_events"."voids" is null then "point_events"."points" else -"point_events"."points" end between 1 and 1000000000 or "point_events"."moved_events" is not null);