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
ALTER TABLE "gift_card_nonces" ADD CONSTRAINT "gift_card_nonces_card" FOREIGN KEY ("point_system_id","card_id") REFERENCES "public"."gift_cards"("point_system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "point_system_brands" ADD CONSTRAINT "point_system_brands_point_system_id_point_systems_id_fk" FOREIGN KEY ("point_system_id") REFERENCES "public"."point_systems"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "gift_card_nonces_expiry" ON "gift_card_nonces" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "gift_card_nonces_card" ON "gift_card_nonces" USING btree ("point_system_id","card_id");