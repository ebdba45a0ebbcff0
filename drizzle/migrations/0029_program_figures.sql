-- safe beside the release before
CREATE TABLE "season_totals" (
	"point_system_id" uuid PRIMARY KEY NOT NULL,
	"points" bigint NOT NULL,
	"after_seq" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "wallet_weeks" (
	"point_system_id" uuid NOT NULL,
	"address" "bytea" NOT NULL,
	"first_week" date NOT NULL,
	"last_week" date NOT NULL,
	CONSTRAINT "wallet_weeks_point_system_id_address_pk" PRIMARY KEY("point_system_id","address"),
	CONSTRAINT "wallet_weeks_order" CHECK ("wallet_weeks"."first_week" <= "wallet_weeks"."last_week")
);
--> statement-breakpoint
CREATE TABLE "weekly_wallets" (
	"point_system_id" uuid NOT NULL,
	"week" date NOT NULL,
	"wallets" bigint DEFAULT 0 NOT NULL,
	"new_wallets" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "weekly_wallets_point_system_id_week_pk" PRIMARY KEY("point_system_id","week")
);
--> statement-breakpoint
ALTER TABLE "daily_totals" ADD COLUMN "boost_points" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "daily_totals" ADD COLUMN "spent_points" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "daily_totals" ADD COLUMN "capped_calls" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "statistics_cursors" ADD COLUMN "program_seq" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "statistics_cursors" ADD COLUMN "program_spend_seq" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "spends_order" ON "spends" USING btree ("point_system_id","seq");--> statement-breakpoint
-- The refused calls that are still there. Events and spends are folded from the beginning.
insert into daily_totals (point_system_id, day, capped_calls)
select point_system_id, (hour at time zone 'UTC')::date, sum(calls) from refused_calls
where code = 'trigger_cap_reached' group by 1, 2
on conflict (point_system_id, day) do update set capped_calls = excluded.capped_calls;
