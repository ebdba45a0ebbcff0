-- safe beside the release before
CREATE TABLE "wallet_notes" (
	"point_system_id" uuid NOT NULL,
	"address" "bytea" NOT NULL,
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"note" text NOT NULL,
	"operator_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "wallet_notes_point_system_id_address_id_pk" PRIMARY KEY("point_system_id","address","id"),
	CONSTRAINT "wallet_notes_address_length" CHECK (octet_length("wallet_notes"."address") = 20),
	CONSTRAINT "wallet_notes_note_length" CHECK (char_length("wallet_notes"."note") between 1 and 500)
);
--> statement-breakpoint
ALTER TABLE "triggers" ADD COLUMN "is_public" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "wallet_notes" ADD CONSTRAINT "wallet_notes_point_system_id_point_systems_id_fk" FOREIGN KEY ("point_system_id") REFERENCES "public"."point_systems"("id") ON DELETE cascade ON UPDATE no action;