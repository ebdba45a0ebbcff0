CREATE TABLE "board_days" (
	"point_system_id" uuid NOT NULL,
	"day" date NOT NULL,
	"addresses" "bytea" NOT NULL,
	CONSTRAINT "board_days_point_system_id_day_pk" PRIMARY KEY("point_system_id","day")
);
--> statement-breakpoint
ALTER TABLE "board_days" ADD CONSTRAINT "board_days_point_system_id_point_systems_id_fk" FOREIGN KEY ("point_system_id") REFERENCES "public"."point_systems"("id") ON DELETE cascade ON UPDATE no action;