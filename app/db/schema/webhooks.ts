import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uuid,
} from "drizzle-orm/pg-core";
import type { DeliveryState, DeliveryType, WebhookEventType } from "../../domain/webhooks/events";
import { bytes, moment } from "./columns";
import { pointSystems } from "./point-systems";

/** The receivers of a point system's events. */
export const webhookEndpoints = pgTable(
  "webhook_endpoints",
  {
    pointSystemId: uuid("point_system_id")
      .notNull()
      .references(() => pointSystems.id, { onDelete: "cascade" }),
    id: uuid().notNull(),
    url: text().notNull(),
    eventTypes: text("event_types").array().$type<WebhookEventType[]>().notNull(),
    createdAt: moment("created_at").notNull().defaultNow(),
    /** From then on nothing is delivered; null while it is on. */
    offAt: moment("off_at"),
    /** Whether the service switched it off, because it had failed for days. */
    isGivenUp: boolean("is_given_up").notNull().default(false),
    secretCiphertext: bytes("secret_ciphertext").notNull(),
    secretNonce: bytes("secret_nonce").notNull(),
    secretKeyId: text("secret_key_id").notNull(),
    /** The secret before the last rotation. It signs as well until `former_until`. */
    formerCiphertext: bytes("former_ciphertext"),
    formerNonce: bytes("former_nonce"),
    formerKeyId: text("former_key_id"),
    formerUntil: moment("former_until"),
    /** The ledger's events up to this position are in deliveries. */
    ledgerSeq: bigint("ledger_seq", { mode: "number" }).notNull(),
    /** The next attempt is not before this time. */
    dueAt: moment("due_at").notNull().defaultNow(),
    /** The turn of the process that delivers, and its end. */
    lease: uuid(),
    leasedUntil: moment("leased_until"),
    /** The first failure since the last success, and the number of failures since then. */
    failingSince: moment("failing_since"),
    failures: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.id] }),
    check("webhook_endpoints_url_length", sql`length(${table.url}) between 1 and 2000`),
    check("webhook_endpoints_types_chosen", sql`cardinality(${table.eventTypes}) > 0`),
    check(
      "webhook_endpoints_former_whole",
      sql`num_nulls(${table.formerCiphertext}, ${table.formerNonce}, ${table.formerKeyId}, ${table.formerUntil}) in (0, 4)`,
    ),
  ],
);

/**
 * The deliveries of each endpoint, in the order in which they are sent. One of credits or voids
 * names its events by their positions, since the ledger never changes; any other holds its data.
 */
export const webhookDeliveries = pgTable(
  "webhook_deliveries",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    endpointId: uuid("endpoint_id").notNull(),
    /** From the sequence of `point_events.seq`: events of the ledger and all others share one order. */
    seq: bigint({ mode: "number" }).notNull().default(sql`nextval('point_events_seq_seq')`),
    /** The `webhook-id`, the same for each attempt. */
    id: uuid().notNull().defaultRandom(),
    type: text().$type<DeliveryType>().notNull(),
    happenedAt: moment("happened_at").notNull().defaultNow(),
    createdAt: moment("created_at").notNull().defaultNow(),
    data: jsonb().$type<Readonly<Record<string, unknown>>>(),
    /** The W3C trace of the request that caused it; null when it has none, or several. */
    traceId: uuid("trace_id"),
    /** The position of the last event of the ledger; `seq` is that of the first. */
    seqTo: bigint("seq_to", { mode: "number" }),
    state: text().$type<DeliveryState>().notNull().default("waiting"),
    attempts: integer().notNull().default(0),
    /** The last attempt: its time, its milliseconds, and the answer or the problem. */
    attemptedAt: moment("attempted_at"),
    tookMs: integer("took_ms"),
    status: integer(),
    answer: text(),
    problem: text(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.endpointId, table.seq] }),
    index("webhook_deliveries_waiting")
      .on(table.pointSystemId, table.endpointId, table.seq)
      .where(sql`${table.state} = 'waiting'`),
    // Serves a replay since a moment, and the removal of old deliveries.
    index("webhook_deliveries_made").on(table.pointSystemId, table.endpointId, table.createdAt),
    index("webhook_deliveries_age").on(table.createdAt),
    check(
      "webhook_deliveries_state_known",
      sql`${table.state} in ('waiting', 'delivered', 'failed', 'skipped')`,
    ),
    check("webhook_deliveries_content", sql`num_nonnulls(${table.data}, ${table.seqTo}) = 1`),
  ],
);

/**
 * The W3C traces of requests that credited while a webhook listened, until their credits are in deliveries. They are
 * not beside the events, which are kept for good.
 */
export const creditTraces = pgTable(
  "credit_traces",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    eventId: uuid("event_id").notNull(),
    traceId: uuid("trace_id").notNull(),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.eventId] }),
    index("credit_traces_age").on(table.createdAt),
  ],
);
