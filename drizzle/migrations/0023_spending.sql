CREATE TABLE "spends" (
	"point_system_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "spends_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"address" "bytea" NOT NULL,
	"named_address" "bytea",
	"points" bigint NOT NULL,
	"balance" bigint,
	"reason" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"api_key_id" uuid,
	"operator_id" uuid,
	"reverses" uuid,
	"moved_with" "bytea",
	"digest" "bytea",
	CONSTRAINT "spends_point_system_id_id_pk" PRIMARY KEY("point_system_id","id"),
	CONSTRAINT "spends_address_length" CHECK (octet_length("spends"."address") = 20),
	CONSTRAINT "spends_shape" CHECK (case
        when "spends"."moved_with" is not null
          then "spends"."points" <> 0 and num_nonnulls("spends"."reverses", "spends"."balance") = 0
        when "spends"."balance" is null then false
        when "spends"."reverses" is not null then "spends"."points" between -1000000000 and -1
        else "spends"."points" between 1 and 1000000000 and "spends"."reason" is not null
      end),
	CONSTRAINT "spends_balance_range" CHECK ("spends"."balance" between 0 and 9007199254740991),
	CONSTRAINT "spends_reason_length" CHECK (length("spends"."reason") between 1 and 500)
);
--> statement-breakpoint
CREATE TABLE "wallet_spending" (
	"point_system_id" uuid NOT NULL,
	"address" "bytea" NOT NULL,
	"spent" bigint NOT NULL,
	CONSTRAINT "wallet_spending_point_system_id_address_pk" PRIMARY KEY("point_system_id","address"),
	CONSTRAINT "wallet_spending_range" CHECK ("wallet_spending"."spent" between 0 and 9007199254740991)
);
--> statement-breakpoint
ALTER TABLE "rewards" DROP CONSTRAINT "rewards_points_board_whole";--> statement-breakpoint
CREATE INDEX "spends_feed" ON "spends" USING btree ("point_system_id","created_at","id");--> statement-breakpoint
CREATE INDEX "spends_of_wallet" ON "spends" USING btree ("point_system_id","address","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "spends_reverses" ON "spends" USING btree ("point_system_id","reverses") WHERE "spends"."reverses" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "spends_digest" ON "spends" USING btree ("point_system_id","digest") WHERE "spends"."digest" is not null;--> statement-breakpoint
ALTER TABLE "rewards" ADD CONSTRAINT "rewards_points_board_whole" CHECK ((coalesce("rewards"."points_board", 'balance') = 'balance') = ("rewards"."points_window_id" is null) and ("rewards"."points_board" is null or "rewards"."family_id" is null));