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
ALTER TABLE "gift_cards" ADD COLUMN "code_fingerprint" "bytea";--> statement-breakpoint
ALTER TABLE "gift_card_reveals" ADD CONSTRAINT "gift_card_reveals_card_fk" FOREIGN KEY ("point_system_id","card_id") REFERENCES "public"."gift_cards"("point_system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "gift_card_reveals_feed" ON "gift_card_reveals" USING btree ("point_system_id","reward_id","revealed_at","id");--> statement-breakpoint
CREATE INDEX "gift_card_reveals_card" ON "gift_card_reveals" USING btree ("point_system_id","card_id","revealed_at");--> statement-breakpoint
CREATE INDEX "gift_cards_holder" ON "gift_cards" USING btree ("point_system_id","reward_id","address","id");--> statement-breakpoint
CREATE INDEX "gift_cards_recipients" ON "gift_cards" USING btree ("point_system_id","reward_id","distributed_at","id") WHERE "gift_cards"."address" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "gift_cards_fingerprint" ON "gift_cards" USING btree ("point_system_id","reward_id","code_key_id","code_fingerprint") WHERE "gift_cards"."code_fingerprint" is not null;--> statement-breakpoint
ALTER TABLE "gift_card_tiers" ADD CONSTRAINT "gift_card_tiers_min_points" UNIQUE("point_system_id","reward_id","min_points");--> statement-breakpoint
ALTER TABLE "gift_card_tiers" ADD CONSTRAINT "gift_card_tiers_min_points_range" CHECK ("gift_card_tiers"."min_points" between 1 and 9007199254740991);--> statement-breakpoint
ALTER TABLE "gift_cards" ADD CONSTRAINT "gift_cards_fingerprint_length" CHECK (octet_length("gift_cards"."code_fingerprint") = 32);