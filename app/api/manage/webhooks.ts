import { randomUUID } from "node:crypto";
import { z } from "zod";
import { WEBHOOK_EVENT_TYPE_NAMES, type WebhookEventType } from "../../domain/webhooks/events";
import {
  NewWebhookInputs,
  WebhookInputs,
} from "../../routes/dashboard/webhooks/webhook.inputs.server";
import { replaySince, sendTest } from "../../services/webhooks/deliveries";
import {
  createWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  switchWebhookOff,
  switchWebhookOn,
  updateWebhook,
} from "../../services/webhooks/endpoints";
import { listWebhooks } from "../../services/webhooks/webhooks";
import { toIso } from "../replies";
import { check, DONE, done, moment, operation } from "./operation";

const EXAMPLE_ID = "e4f50617-2839-4a4b-8c5d-6e7f80910213";
const EXAMPLE_URL = "https://example.com/webhooks";
const EXAMPLE_MARK = "9f8e7d6c5b4a39281706f5e4";

const webhookId = { webhookId: z.string().min(1).describe("The webhook's UUID") };
const EventType = z.enum(
  WEBHOOK_EVENT_TYPE_NAMES as readonly [WebhookEventType, ...WebhookEventType[]],
);
const settings = {
  url: z.string().describe("The URL to call: https, of at most 2,000 characters"),
  eventTypes: z.array(EventType).min(1).describe("The events that it hears"),
};
const secret = z.string().describe("The secret. It is answered this once");

export const WEBHOOK_OPERATIONS = {
  "manage/v1/webhooks": operation("manage/v1/webhooks", {
    name: "listWebhooks",
    fields: {},
    failures: [],
    reply: z.strictObject({
      webhooks: z
        .array(
          z.strictObject({
            id: z.uuid().describe("The webhook's UUID"),
            url: z.string().describe("The URL that is called"),
            eventTypes: z.array(EventType).describe("The events that it hears"),
            createdAt: z.iso.datetime().describe("The time of its creation"),
            offAt: z.iso.datetime().nullable().describe("Since when it is off; null while on"),
            failingSince: z.iso
              .datetime()
              .nullable()
              .describe("Since when its deliveries fail; null while they do not"),
            secretMark: z.string().describe("Tells its present secret from former ones"),
          }),
        )
        .describe("All webhooks, the oldest first"),
    }),
    example: {
      request: {},
      answer: {
        webhooks: [
          {
            id: EXAMPLE_ID,
            url: EXAMPLE_URL,
            eventTypes: ["points.credited"],
            createdAt: "2026-01-02T03:04:05.000Z",
            offAt: null,
            failingSince: null,
            secretMark: EXAMPLE_MARK,
          },
        ],
      },
    },
    async handle(owner) {
      const webhooks = await listWebhooks(owner);
      return {
        webhooks: webhooks.map(
          ({ id, url, eventTypes, createdAt, offAt, failingSince, secretMark }) => ({
            id,
            url,
            eventTypes: [...eventTypes],
            createdAt: createdAt.toISOString(),
            offAt: toIso(offAt),
            failingSince: toIso(failingSince),
            secretMark,
          }),
        ),
      };
    },
  }),
  "manage/v1/webhooks/create": operation("manage/v1/webhooks/create", {
    name: "createWebhook",
    fields: {
      id: z
        .guid()
        .optional()
        .describe("A UUID of yours, so that a repeated call makes no second webhook"),
      ...settings,
    },
    failures: ["webhook_exists", "too_many_webhooks", "gift_card_keys_missing"],
    reply: z.strictObject({ id: z.uuid().describe("The webhook's UUID"), secret }),
    example: {
      request: { url: EXAMPLE_URL, eventTypes: ["points.credited"] },
      answer: { id: EXAMPLE_ID, secret: "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3" },
    },
    async handle(owner, { id = randomUUID(), ...input }) {
      const webhook = check(NewWebhookInputs, { id: id.toLowerCase(), ...input });
      return { id: webhook.id, ...(await createWebhook(owner, webhook)) };
    },
  }),
  "manage/v1/webhooks/update": operation("manage/v1/webhooks/update", {
    name: "updateWebhook",
    fields: { ...webhookId, ...settings },
    failures: ["not_found"],
    reply: z.strictObject(done),
    notes: ["Both fields are set. A new URL is tried at once, with what waits."],
    example: {
      request: {
        webhookId: EXAMPLE_ID,
        url: EXAMPLE_URL,
        eventTypes: ["points.credited", "points.voided"],
      },
      answer: DONE,
    },
    async handle(owner, { webhookId: id, ...input }) {
      await updateWebhook(owner, id, check(WebhookInputs, input));
      return DONE;
    },
  }),
  "manage/v1/webhooks/switch": operation("manage/v1/webhooks/switch", {
    name: "switchWebhook",
    fields: {
      ...webhookId,
      isOn: z.boolean().describe("Whether it is called"),
      from: z.enum(["where-it-stopped", "now"]).default("where-it-stopped").meta({
        default: "where-it-stopped",
        description: "Where one that is switched on begins",
      }),
    },
    failures: ["not_found", "webhook_moved_on"],
    reply: z.strictObject(done),
    notes: ["What happens while it is off waits for it."],
    example: { request: { webhookId: EXAMPLE_ID, isOn: false }, answer: DONE },
    async handle(owner, { webhookId: id, isOn, from }) {
      await (isOn ? switchWebhookOn(owner, id, from) : switchWebhookOff(owner, id));
      return DONE;
    },
  }),
  "manage/v1/webhooks/rotate": operation("manage/v1/webhooks/rotate", {
    name: "rotateWebhook",
    fields: {
      ...webhookId,
      secretMark: z
        .string()
        .describe("secretMark of the list, so that a repeated call rotates once"),
    },
    failures: ["not_found", "webhook_moved_on", "gift_card_keys_missing"],
    reply: z.strictObject({ secret }),
    notes: ["For a day, deliveries are signed with the former secret as well."],
    example: {
      request: { webhookId: EXAMPLE_ID, secretMark: EXAMPLE_MARK },
      answer: { secret: "whsec_ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4" },
    },
    handle: (owner, { webhookId: id, secretMark }) => rotateWebhookSecret(owner, id, secretMark),
  }),
  "manage/v1/webhooks/test": operation("manage/v1/webhooks/test", {
    name: "testWebhook",
    fields: webhookId,
    failures: ["not_found", "webhook_off"],
    reply: z.strictObject(done),
    notes: ["Its answer is in the dashboard, among the deliveries."],
    example: { request: { webhookId: EXAMPLE_ID }, answer: DONE },
    async handle(owner, { webhookId: id }) {
      await sendTest(owner, id);
      return DONE;
    },
  }),
  "manage/v1/webhooks/replay": operation("manage/v1/webhooks/replay", {
    name: "replayWebhook",
    fields: {
      ...webhookId,
      since: moment.describe("Deliveries that were made from then on"),
    },
    failures: ["not_found", "webhook_replay_too_long"],
    reply: z.strictObject({
      replayed: z.int().nonnegative().describe("Deliveries that are sent again"),
    }),
    example: {
      request: { webhookId: EXAMPLE_ID, since: "2026-01-02T00:00:00.000Z" },
      answer: { replayed: 12 },
    },
    handle: (owner, { webhookId: id, since }) => replaySince(owner, id, new Date(since)),
  }),
  "manage/v1/webhooks/delete": operation("manage/v1/webhooks/delete", {
    name: "deleteWebhook",
    fields: webhookId,
    failures: ["not_found"],
    reply: z.strictObject(done),
    example: { request: { webhookId: EXAMPLE_ID }, answer: DONE },
    async handle(owner, { webhookId: id }) {
      await deleteWebhook(owner, id);
      return DONE;
    },
  }),
};
