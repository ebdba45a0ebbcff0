import { z } from "zod";
import { listActivity } from "../services/activity/activity";
import { endpoint } from "./endpoint";
import { parameters, parseQuery } from "./input";
import { AddressReply, PaginationReply } from "./replies";

const ActivityQuery = z.object({
  pointSystemId: parameters.pointSystemId,
  address: parameters.address.optional(),
  page: parameters.page,
  limit: parameters.limit,
});

const PointEventReply = z.strictObject({
  id: z.uuid(),
  address: AddressReply,
  points: z.int().positive(),
  event: z.string().nullable(),
  date: z.iso.datetime(),
});

/** GET /activity lists the point events of a point system or of one wallet, newest first. */
export const loader = endpoint("activity", {
  scope: "point-system",
  parse: (request) => parseQuery(ActivityQuery, request.url),
  reply: z.strictObject({ activity: z.array(PointEventReply), pagination: PaginationReply }),
  async handle({ input: { pointSystemId, address, page, limit } }) {
    const { activity, pagination } = await listActivity(pointSystemId, address ?? null, {
      page,
      limit,
    });
    return {
      body: {
        activity: activity.map((event) => ({ ...event, date: event.date.toISOString() })),
        pagination,
      },
    };
  },
});
export const action = loader;
