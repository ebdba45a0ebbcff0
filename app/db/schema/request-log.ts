import { index, integer, pgTable, primaryKey, smallint, text, uuid } from "drizzle-orm/pg-core";
import { moment } from "./columns";

/**
 * Calls of the API that concern a point system: refused ones, and a sample of the others, of the last
 * days. They hold no address, body or token. Credits do not need them.
 */
export const requestLog = pgTable(
  "request_log",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    id: uuid().notNull(),
    /** The answer's X-Request-Id. A caller may name it, so it is not unique. */
    requestId: text("request_id").notNull(),
    answeredAt: moment("answered_at").notNull(),
    /** The endpoint's path after the prefix. */
    endpoint: text().notNull(),
    status: smallint().notNull(),
    /** The failure's code; null for an answer that is none. */
    code: text(),
    /** The key, if it may use the point system. It may have been deleted. */
    apiKeyId: uuid("api_key_id"),
    tookMs: integer("took_ms").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.id] }),
    index("request_log_request").on(table.pointSystemId, table.requestId),
    index("request_log_newest").on(table.pointSystemId, table.answeredAt, table.id),
  ],
);
