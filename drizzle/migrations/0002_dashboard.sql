CREATE TABLE "audit_log" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_log_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"point_system_id" uuid,
	"operator_id" uuid,
	"actor" text NOT NULL,
	"ip" text,
	"request_id" text,
	"action" text NOT NULL,
	"subject" text NOT NULL,
	"before" jsonb,
	"after" jsonb,
	CONSTRAINT "audit_log_action_shape" CHECK ("audit_log"."action" ~ '^[a-z_]+\.[a-z_]+$')
);
--> statement-breakpoint
CREATE TABLE "import_rows" (
	"point_system_id" uuid NOT NULL,
	"import_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"address" "bytea" NOT NULL,
	"points" bigint NOT NULL,
	"event_id" uuid,
	CONSTRAINT "import_rows_point_system_id_import_id_position_pk" PRIMARY KEY("point_system_id","import_id","position"),
	CONSTRAINT "import_rows_address_length" CHECK (octet_length("import_rows"."address") = 20),
	CONSTRAINT "import_rows_points_range" CHECK ("import_rows"."points" between 1 and 1000000000)
);
--> statement-breakpoint
CREATE TABLE "imports" (
	"point_system_id" uuid NOT NULL,
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"operator_id" uuid NOT NULL,
	"file_name" text NOT NULL,
	"csv" text NOT NULL,
	"has_header" boolean NOT NULL,
	"delimiter" text NOT NULL,
	"address_column" integer NOT NULL,
	"points_column" integer NOT NULL,
	"status" text DEFAULT 'draft' NOT NULL,
	"note" text,
	"wallets" bigint DEFAULT 0 NOT NULL,
	"wallets_done" bigint DEFAULT 0 NOT NULL,
	"points" bigint DEFAULT 0 NOT NULL,
	"wallets_skipped" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"committed_at" timestamp (3) with time zone,
	"undone_at" timestamp (3) with time zone,
	CONSTRAINT "imports_point_system_id_id_pk" PRIMARY KEY("point_system_id","id"),
	CONSTRAINT "imports_status_known" CHECK ("imports"."status" in ('draft', 'committing', 'committed', 'undoing', 'undone')),
	CONSTRAINT "imports_delimiter_known" CHECK ("imports"."delimiter" in ('comma', 'semicolon', 'tab'))
);
--> statement-breakpoint
CREATE TABLE "account_links" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"kind" text NOT NULL,
	"operator_id" uuid,
	"point_system_id" uuid,
	"role" text,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "account_links_token_hash_unique" UNIQUE("token_hash"),
	CONSTRAINT "account_links_token_hash_length" CHECK (octet_length("account_links"."token_hash") = 32),
	CONSTRAINT "account_links_kind_known" CHECK ("account_links"."kind" in ('invitation', 'password_reset')),
	CONSTRAINT "account_links_role_known" CHECK ("account_links"."role" in ('editor', 'viewer')),
	CONSTRAINT "account_links_terms" CHECK (("account_links"."kind" = 'password_reset') = ("account_links"."operator_id" is not null)
        and ("account_links"."point_system_id" is null) = ("account_links"."role" is null))
);
--> statement-breakpoint
CREATE TABLE "point_system_members" (
	"point_system_id" uuid NOT NULL,
	"operator_id" uuid NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "point_system_members_point_system_id_operator_id_pk" PRIMARY KEY("point_system_id","operator_id"),
	CONSTRAINT "point_system_members_role_known" CHECK ("point_system_members"."role" in ('editor', 'viewer'))
);
--> statement-breakpoint
CREATE TABLE "daily_totals" (
	"point_system_id" uuid NOT NULL,
	"day" date NOT NULL,
	"points" bigint DEFAULT 0 NOT NULL,
	"events" bigint DEFAULT 0 NOT NULL,
	"active_wallets" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "daily_totals_point_system_id_day_pk" PRIMARY KEY("point_system_id","day")
);
--> statement-breakpoint
CREATE TABLE "daily_trigger_totals" (
	"point_system_id" uuid NOT NULL,
	"trigger_key" text NOT NULL,
	"day" date NOT NULL,
	"points" bigint DEFAULT 0 NOT NULL,
	"events" bigint DEFAULT 0 NOT NULL,
	"last_fired_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "daily_trigger_totals_point_system_id_trigger_key_day_pk" PRIMARY KEY("point_system_id","trigger_key","day")
);
--> statement-breakpoint
CREATE TABLE "refused_calls" (
	"point_system_id" uuid NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"code" text NOT NULL,
	"calls" bigint NOT NULL,
	CONSTRAINT "refused_calls_point_system_id_hour_code_pk" PRIMARY KEY("point_system_id","hour","code")
);
--> statement-breakpoint
CREATE TABLE "statistics_cursors" (
	"point_system_id" uuid PRIMARY KEY NOT NULL,
	"seq" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "point_events" DROP CONSTRAINT "point_events_points_range";--> statement-breakpoint
ALTER TABLE "point_events" DROP CONSTRAINT "point_events_balance_range";--> statement-breakpoint
DROP INDEX "point_events_feed";--> statement-breakpoint
DROP INDEX "point_events_wallet_feed";--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "expires_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "last_used_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "point_events" ADD COLUMN "voids" uuid;--> statement-breakpoint
ALTER TABLE "point_events" ADD COLUMN "operator_id" uuid;--> statement-breakpoint
ALTER TABLE "point_events" ADD COLUMN "note" text;--> statement-breakpoint
ALTER TABLE "point_events" ADD COLUMN "import_id" uuid;--> statement-breakpoint
ALTER TABLE "operators" ADD COLUMN "is_administrator" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "point_systems" ADD COLUMN "deleted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "ip" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "user_agent" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "account_links" ADD CONSTRAINT "account_links_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "account_links" ADD CONSTRAINT "account_links_created_by_operators_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."operators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "point_system_members" ADD CONSTRAINT "point_system_members_point_system_id_point_systems_id_fk" FOREIGN KEY ("point_system_id") REFERENCES "public"."point_systems"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "point_system_members" ADD CONSTRAINT "point_system_members_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_log_point_system" ON "audit_log" USING btree ("point_system_id","id");--> statement-breakpoint
CREATE INDEX "audit_log_operator" ON "audit_log" USING btree ("operator_id","id");--> statement-breakpoint
CREATE INDEX "imports_unfinished" ON "imports" USING btree ("created_at") WHERE "imports"."status" in ('committing', 'undoing');--> statement-breakpoint
CREATE INDEX "account_links_point_system" ON "account_links" USING btree ("point_system_id");--> statement-breakpoint
CREATE INDEX "account_links_expiry" ON "account_links" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "point_system_members_operator" ON "point_system_members" USING btree ("operator_id");--> statement-breakpoint
CREATE INDEX "blacklist_feed" ON "blacklist" USING btree ("point_system_id","created_at","address");--> statement-breakpoint
CREATE UNIQUE INDEX "point_events_voids" ON "point_events" USING btree ("point_system_id","voids") WHERE "point_events"."voids" is not null;--> statement-breakpoint
CREATE INDEX "point_events_import" ON "point_events" USING btree ("point_system_id","import_id","seq") WHERE "point_events"."import_id" is not null;--> statement-breakpoint
CREATE INDEX "point_systems_deleted" ON "point_systems" USING btree ("deleted_at") WHERE "point_systems"."deleted_at" is not null;--> statement-breakpoint
CREATE INDEX "point_events_feed" ON "point_events" USING btree ("point_system_id","created_at","id") WHERE "point_events"."voids" is null;--> statement-breakpoint
CREATE INDEX "point_events_wallet_feed" ON "point_events" USING btree ("point_system_id","address","created_at","id") WHERE "point_events"."voids" is null;--> statement-breakpoint
ALTER TABLE "point_events" ADD CONSTRAINT "point_events_correction_shape" CHECK ("point_events"."voids" is null or "point_events"."event" is null);--> statement-breakpoint
ALTER TABLE "point_events" ADD CONSTRAINT "point_events_note_length" CHECK (length("point_events"."note") between 1 and 500);--> statement-breakpoint
ALTER TABLE "point_events" ADD CONSTRAINT "point_events_points_range" CHECK (case when "point_events"."voids" is null then "point_events"."points" else -"point_events"."points" end between 1 and 1000000000);--> statement-breakpoint
ALTER TABLE "point_events" ADD CONSTRAINT "point_events_balance_range" CHECK ("point_events"."balance" between 0 and 9007199254740991);