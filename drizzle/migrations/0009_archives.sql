CREATE TABLE "ledger_archives" (
	"file_name" text PRIMARY KEY NOT NULL,
	"before" timestamp (3) with time zone NOT NULL,
	"events" bigint NOT NULL,
	"digest" "bytea" NOT NULL,
	"written_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"removed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "opening_balances" (
	"point_system_id" uuid NOT NULL,
	"address" "bytea" NOT NULL,
	"points" bigint NOT NULL,
	"events" bigint NOT NULL,
	CONSTRAINT "opening_balances_point_system_id_address_pk" PRIMARY KEY("point_system_id","address")
);
--> statement-breakpoint
ALTER TABLE "point_system_totals" DROP CONSTRAINT "point_system_totals_range";--> statement-breakpoint
ALTER TABLE "point_system_totals" ADD COLUMN "archived_events" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "point_system_totals" ADD COLUMN "archived_before" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "point_system_totals" ADD CONSTRAINT "point_system_totals_range" CHECK ("point_system_totals"."wallets" >= "point_system_totals"."blacklisted_wallets" and "point_system_totals"."blacklisted_wallets" >= 0 and "point_system_totals"."events" >= "point_system_totals"."archived_events" and "point_system_totals"."archived_events" >= 0);