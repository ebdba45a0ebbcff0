import { z } from "zod";
import { parseLocalTime } from "../../../domain/local-time";
import { WEBHOOK_EVENT_TYPE_NAMES, type WebhookEventType } from "../../../domain/webhooks/events";
import { parseWebhookUrl } from "../../../domain/webhooks/url";

const UrlInput = z
  .string()
  .trim()
  .transform((text, issues) => {
    const url = parseWebhookUrl(text);
    if (url) return url;
    issues.addIssue(
      "Enter a URL such as https://example.com/webhooks, of at most 2,000 characters",
    );
    return z.NEVER;
  });

/** An endpoint's URL and events. */
export const WebhookInputs = z.object({
  url: UrlInput,
  eventTypes: z
    .array(z.enum(WEBHOOK_EVENT_TYPE_NAMES as readonly [WebhookEventType, ...WebhookEventType[]]))
    .min(1, "Choose at least one event")
    .max(100)
    .transform((types) => [...new Set(types)]),
});

/** A new endpoint, with the id of the form, which becomes its own. */
export const NewWebhookInputs = WebhookInputs.extend({ id: z.string().max(100) });

/** A rotation, with the mark of the secret that the page showed. */
export const RotationInputs = z.object({ seen: z.string().max(100) });

export const SwitchOnInputs = z.object({
  from: z.enum(["where-it-stopped", "now"], "Choose where it starts"),
});

/** The moment from which deliveries are replayed, in UTC as a browser's field writes it. */
export const ReplayInputs = z.object({
  since: z
    .string()
    .trim()
    .transform((text, issues) => {
      const moment = parseLocalTime(text, "UTC");
      if (moment instanceof Date) return moment;
      issues.addIssue("Enter a date and a time");
      return z.NEVER;
    }),
});
