import { z } from "zod";
import { listActivity, listDetailedActivity } from "../services/activity/activity";
import { endpoint } from "./endpoint";
import { parameters, parseQuery } from "./input";
import { AddressReply, PaginationReply } from "./replies";

const ActivityQuery = z.object({
  pointSystemId: parameters.pointSystemId,
  address: parameters.address.optional(),
  page: parameters.page,
  limit: parameters.limit,
  include: z.literal("metadata").optional(),
});

const PointEventReply = z.strictObject({
  id: z.uuid(),
  address: AddressReply,
  points: z.int().positive(),
  event: z.string().nullable(),
  date: z.iso.datetime(),
});

const DetailedPointEventReply = PointEventReply.extend({
  metadata: z.record(z.string(), z.unknown()).nullable(),
  occurredAt: z.iso.datetime().nullable(),
});

/**
 * GET /activity lists the point events of a point system or of one wallet, newest first; with
 * `include=metadata`, each with the data that its caller added.
 */
export const loader = endpoint("activity", {
  scope: "point-system",
  parse: (request) => parseQuery(ActivityQuery, request.url),
  reply: z.strictObject({
    activity: z.union([z.array(PointEventReply), z.array(DetailedPointEventReply)]),
    pagination: PaginationReply,
  }),
  async handle({ input: { pointSystemId, address = null, include, ...request } }) {
    if (include === "metadata") {
      const { activity, pagination } = await listDetailedActivity(pointSystemId, address, request);
      const events = activity.map((event) => ({
        ...event,
        date: event.date.toISOString(),
        occurredAt: event.occurredAt?.toISOString() ?? null,
      }));
      return { body: { activity: events, pagination } };
    }
    const { activity, pagination } = await listActivity(pointSystemId, address, request);
    const events = activity.map((event) => ({ ...event, date: event.date.toISOString() }));
    return { body: { activity: events, pagination } };
  },
});
export const action = loader;
