-- safe beside the release before
CREATE TABLE "tree_files" (
	"point_system_id" uuid NOT NULL,
	"reward_id" uuid NOT NULL,
	"sha256" "bytea" NOT NULL,
	"contract_address" "bytea" NOT NULL,
	"onchain_id" numeric(78, 0) NOT NULL,
	"rounds" integer[] NOT NULL,
	"head" text NOT NULL,
	"length" bigint NOT NULL,
	"made_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tree_files_point_system_id_reward_id_sha256_pk" PRIMARY KEY("point_system_id","reward_id","sha256"),
	CONSTRAINT "tree_files_sha256_length" CHECK (octet_length("tree_files"."sha256") = 32)
);
--> statement-breakpoint
ALTER TABLE "tree_files" ADD CONSTRAINT "tree_files_reward" FOREIGN KEY ("point_system_id","reward_id") REFERENCES "public"."rewards"("point_system_id","id") ON DELETE cascade ON UPDATE no action;