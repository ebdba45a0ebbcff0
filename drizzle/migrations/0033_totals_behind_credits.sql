ALTER TABLE "point_system_totals" ADD COLUMN "counted_seq" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
-- The totals hold every credit until now.
UPDATE "point_system_totals" t SET "counted_seq" = n."seq"
FROM (SELECT "point_system_id", max("seq") AS "seq" FROM "point_events" GROUP BY "point_system_id") n
WHERE n."point_system_id" = t."point_system_id";
