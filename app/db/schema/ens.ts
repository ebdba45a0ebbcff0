import { sql } from "drizzle-orm";
import { check, index, pgTable, text } from "drizzle-orm/pg-core";
import { moment } from "./columns";

/**
 * What ENS said, for every instance. A failure is noted beside what was known before it, and never
 * in its place.
 */
export const ensAnswers = pgTable(
  "ens_answers",
  {
    /**
     * A normalized name, or an address: no address has a dot, and every name does. Behind an address
     * stands `@` and ENS's number of the chain, when that is not Ethereum.
     */
    question: text().primaryKey(),
    /** The name's address, or the address' name. Null: there is none, if that was found out. */
    answer: text(),
    /** Null while nothing was ever found out. */
    resolvedAt: moment("resolved_at"),
    failedAt: moment("failed_at"),
    /** From then on it is of no use to anybody. */
    keepUntil: moment("keep_until").notNull(),
  },
  (table) => [
    index("ens_answers_keep_until").on(table.keepUntil),
    check("ens_answers_question_length", sql`length(${table.question}) between 3 and 255`),
    check("ens_answers_answer_length", sql`length(${table.answer}) between 3 and 255`),
    check("ens_answers_resolved", sql`${table.answer} is null or ${table.resolvedAt} is not null`),
  ],
);
