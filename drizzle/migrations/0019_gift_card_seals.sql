ALTER TABLE "gift_cards" ADD COLUMN "needs_seal" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "gift_cards" ADD COLUMN "holder_seal" "bytea";--> statement-breakpoint
CREATE INDEX "gift_cards_without_seal" ON "gift_cards" USING btree ("point_system_id","reward_id","id") WHERE not "gift_cards"."needs_seal";--> statement-breakpoint
ALTER TABLE "gift_cards" ADD CONSTRAINT "gift_cards_seal_length" CHECK (octet_length("gift_cards"."holder_seal") = 32);