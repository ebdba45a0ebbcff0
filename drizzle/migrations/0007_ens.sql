CREATE TABLE "ens_answers" (
	"question" text PRIMARY KEY NOT NULL,
	"answer" text,
	"resolved_at" timestamp (3) with time zone,
	"failed_at" timestamp (3) with time zone,
	"keep_until" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "ens_answers_question_length" CHECK (length("ens_answers"."question") between 3 and 255),
	CONSTRAINT "ens_answers_answer_length" CHECK (length("ens_answers"."answer") between 3 and 255),
	CONSTRAINT "ens_answers_resolved" CHECK ("ens_answers"."answer" is null or "ens_answers"."resolved_at" is not null)
);
--> statement-breakpoint
CREATE INDEX "ens_answers_keep_until" ON "ens_answers" USING btree ("keep_until");