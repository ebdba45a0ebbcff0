DROP INDEX "idempotency_records_digest";--> statement-breakpoint
DROP INDEX "idempotency_records_before_digest";--> statement-breakpoint
ALTER TABLE "wallets" ADD COLUMN "last_credit_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
CREATE INDEX "idempotency_records_digest" ON "idempotency_records" USING hash ("digest");--> statement-breakpoint
CREATE INDEX "idempotency_records_before_digest" ON "idempotency_records_before" USING hash ("digest");