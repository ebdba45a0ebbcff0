import { sql } from "drizzle-orm";
import { check, index, pgTable, text } from "drizzle-orm/pg-core";
import { moment } from "./columns";

/**
 * Answers of ENS, shared by all instances. A failure is stored beside the last known answer and
 * never replaces it.
 */
export const ensAnswers = pgTable(
  "ens_answers",
  {
    /**
     * A normalized name, or an address: every name contains a dot, and no address does. An address
     * is followed by `@` and ENS's number of the chain, unless that is Ethereum.
     */
    question: text().primaryKey(),
    /** The name's address, or the address' name. Null when there is none, once that is known. */
    answer: text(),
    /** Null while no answer was ever found. */
    resolvedAt: moment("resolved_at"),
    failedAt: moment("failed_at"),
    /** From then on the row is not used any more. */
    keepUntil: moment("keep_until").notNull(),
  },
  (table) => [
    index("ens_answers_keep_until").on(table.keepUntil),
    check("ens_answers_question_length", sql`length(${table.question}) between 3 and 255`),
    check("ens_answers_answer_length", sql`length(${table.answer}) between 3 and 255`),
    check("ens_answers_resolved", sql`${table.answer} is null or ${table.resolvedAt} is not null`),
  ],
);
