CREATE TABLE "public_calls" (
	"network" "bytea" PRIMARY KEY NOT NULL,
	"called_at" timestamp with time zone[] NOT NULL,
	"admitted" integer NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "public_calls_network_length" CHECK (octet_length("public_calls"."network") = 32)
);
--> statement-breakpoint
CREATE TABLE "shared_secrets" (
	"name" text PRIMARY KEY NOT NULL,
	"secret" "bytea" NOT NULL,
	CONSTRAINT "shared_secrets_length" CHECK (octet_length("shared_secrets"."secret") = 32)
);
--> statement-breakpoint
CREATE INDEX "public_calls_expiry" ON "public_calls" USING btree ("expires_at");