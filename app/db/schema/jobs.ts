import { sql } from "drizzle-orm";
import {
  bigint,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { moment } from "./columns";

/** Work that waits for the process that takes it up first. */
export const jobs = pgTable(
  "jobs",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    queue: text().notNull(),
    /** Names what the job is about; null for a scheduled job. */
    key: text(),
    /** The span of time that a scheduled job belongs to, counted from 1970. */
    slot: bigint({ mode: "number" }),
    data: jsonb().notNull(),
    state: text().$type<"waiting" | "active" | "retry" | "completed" | "failed">().notNull(),
    /** How often it was taken up. */
    attempts: integer().notNull().default(0),
    runAfter: moment("run_after").notNull().defaultNow(),
    /** When an active job is handed over, unless its process gives another sign of life. */
    expiresAt: moment("expires_at"),
    createdAt: moment("created_at").notNull().defaultNow(),
    endedAt: moment("ended_at"),
  },
  (table) => [
    uniqueIndex("jobs_one_waiting")
      .on(table.queue, table.key)
      .where(sql`${table.state} = 'waiting'`),
    uniqueIndex("jobs_one_in_slot").on(table.queue, table.slot),
    index("jobs_next").on(table.queue, table.id).where(sql`${table.state} in ('waiting', 'retry')`),
    index("jobs_expiry").on(table.expiresAt).where(sql`${table.state} = 'active'`),
    index("jobs_ended").on(table.endedAt),
    check(
      "jobs_state_known",
      sql`${table.state} in ('waiting', 'active', 'retry', 'completed', 'failed')`,
    ),
  ],
);
