CREATE TABLE "withdrawn_credits" (
	"point_system_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "withdrawn_credits_point_system_id_id_pk" PRIMARY KEY("point_system_id","id")
);
--> statement-breakpoint
DROP INDEX "point_events_seq";--> statement-breakpoint
DROP INDEX "point_events_wallet_feed";--> statement-breakpoint
DROP INDEX "point_events_feed";--> statement-breakpoint
ALTER TABLE "point_events" DROP CONSTRAINT "point_events_point_system_id_id_pk";--> statement-breakpoint
ALTER TABLE "point_events" ADD CONSTRAINT "point_events_point_system_id_seq_pk" PRIMARY KEY("point_system_id","seq");--> statement-breakpoint
ALTER TABLE "point_events" ADD COLUMN "voids_created_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE UNIQUE INDEX "point_events_by_hand" ON "point_events" USING btree ("point_system_id","id") WHERE "point_events"."api_key_id" is null;--> statement-breakpoint
CREATE INDEX "point_events_feed" ON "point_events" USING btree ("point_system_id","created_at","id");--> statement-breakpoint
do $$
declare
  is_guarded boolean := exists (select from pg_trigger where tgname = 'point_events_append_only');
begin
  if is_guarded then
    alter table point_events disable trigger point_events_append_only;
  end if;
  update point_events c set voids_created_at = e.created_at from point_events e
  where c.voids is not null and e.point_system_id = c.point_system_id and e.id = c.voids;
  if is_guarded then
    alter table point_events enable trigger point_events_append_only;
  end if;
end $$;
