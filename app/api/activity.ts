import { z } from "zod";
import {
  type BoostedPointEvent,
  type DetailedPointEvent,
  listActivity,
  listBoostedActivity,
  listDetailedActivity,
  type PointEvent,
} from "../services/activity/activity";
import { endpoint } from "./endpoint";
import { parameters, parseQuery } from "./input";
import { AddressReply, PaginationReply } from "./replies";

const ActivityQuery = z.object({
  pointSystemId: parameters.pointSystemId,
  address: parameters.address.optional(),
  page: parameters.page,
  limit: parameters.limit,
  include: z
    .enum(["metadata", "boost"])
    .optional()
    .describe("With metadata, each event has metadata and occurredAt; with boost, boost"),
});

const PointEventReply = z
  .strictObject({
    id: z.uuid().describe("The event's UUID"),
    address: AddressReply.describe("The wallet that received the points"),
    points: z.int().positive().describe("Points, always positive"),
    event: z
      .string()
      .nullable()
      .describe("The trigger's key or the kind of event; null for a grant by an operator"),
    date: z.iso.datetime().describe("The time of the credit, by which events are ordered"),
  })
  .meta({ id: "PointEvent", description: "Without include" });

const DetailedPointEventReply = PointEventReply.extend({
  metadata: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe("The data that the caller added; null for none"),
  occurredAt: z.iso
    .datetime()
    .nullable()
    .describe("The time at which it happened, as the caller said; null when it said none"),
}).meta({ id: "DetailedPointEvent", description: "With include=metadata" });

const BoostedPointEventReply = PointEventReply.extend({
  boost: z
    .strictObject({
      basePoints: z.int().positive().describe("The points before the boost"),
      factor: z.number().describe("The factor, 1.01 to 100"),
    })
    .nullable()
    .describe("The boost that made the points; null for none"),
}).meta({ id: "BoostedPointEvent", description: "With include=boost" });

const LISTS = {
  none: listActivity,
  metadata: listDetailedActivity,
  boost: listBoostedActivity,
} as const;

const input = { query: ActivityQuery };

/**
 * GET /activity lists the point events of a point system or of one wallet, newest first; with
 * `include=metadata`, each with the data that its caller added; with `include=boost`, each with its boost. Once events were archived, the answer
 * says from when on it knows them.
 */
export const loader = endpoint("activity", {
  scope: "point-system",
  isReplicated: true,
  input,
  failures: [],
  parse: (request) => parseQuery(input, request.url),
  reply: z.strictObject({
    activity: z
      .union([
        z.array(PointEventReply),
        z.array(DetailedPointEventReply),
        z.array(BoostedPointEventReply),
      ])
      .describe("Point events, newest first, then by id descending"),
    pagination: PaginationReply,
    archivedBefore: z.iso
      .datetime()
      .optional()
      .describe("Events before this time were archived and are not listed; absent without any"),
  }),
  async handle({ input: { pointSystemId, address = null, include, ...request } }) {
    const page = await LISTS[include ?? "none"](pointSystemId, address, request);
    const activity = page.activity.map(toReply);
    const archivedBefore = page.archivedBefore?.toISOString();
    return {
      body: {
        activity,
        pagination: page.pagination,
        ...(archivedBefore !== undefined && { archivedBefore }),
      },
    };
  },
});
export const action = loader;

const toReply = (event: PointEvent | DetailedPointEvent | BoostedPointEvent) => ({
  ...event,
  date: event.date.toISOString(),
  ...("occurredAt" in event && { occurredAt: event.occurredAt?.toISOString() ?? null }),
});
