ALTER TABLE "authenticators" ALTER COLUMN "secret" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "authenticators" ADD COLUMN "secret_ciphertext" "bytea";--> statement-breakpoint
ALTER TABLE "authenticators" ADD COLUMN "secret_nonce" "bytea";--> statement-breakpoint
ALTER TABLE "authenticators" ADD COLUMN "secret_key_id" text;--> statement-breakpoint
ALTER TABLE "authenticators" ADD CONSTRAINT "authenticators_nonce_length" CHECK (octet_length("authenticators"."secret_nonce") = 12);--> statement-breakpoint
ALTER TABLE "authenticators" ADD CONSTRAINT "authenticators_one_secret" CHECK (num_nonnulls("authenticators"."secret_ciphertext", "authenticators"."secret_nonce", "authenticators"."secret_key_id") =
        case when "authenticators"."secret" is null then 3 else 0 end);