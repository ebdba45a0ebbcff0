import { and, asc, count, eq, sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { webhookEndpoints } from "../../db/schema/webhooks";
import { Failure } from "../../domain/failure";
import { requireUuid } from "../../domain/uuid";
import { LAG_COUNTED_MAX, type WebhookEventType } from "../../domain/webhooks/events";
import { maskWebhookUrl } from "../../domain/webhooks/url";
import type { Member } from "../access/members";

/** Everything that is committed and not delivered yet, counted up to a bound. */
interface WebhookLag {
  /** Deliveries that wait, without those that are not made yet. */
  readonly deliveries: number;
  /** Credits and corrections of the ledger that are in no delivery yet. */
  readonly events: number;
  /** The time of the oldest of them. */
  readonly since: Date | null;
}

/** An endpoint as the dashboard shows it, without its secrets. */
export interface Webhook {
  readonly id: string;
  /** Masked for viewers: receivers accept secrets in it. */
  readonly url: string;
  readonly eventTypes: readonly WebhookEventType[];
  readonly createdAt: Date;
  readonly offAt: Date | null;
  /** Whether the service switched it off after days of failures. */
  readonly isGivenUp: boolean;
  readonly failingSince: Date | null;
  /** The next attempt, while the last one failed. */
  readonly dueAt: Date;
  /** The end of the former secret, while it still signs. */
  readonly formerUntil: Date | null;
  /** Tells a form for the present secret from an older one. It reveals nothing of the secret. */
  readonly secretMark: string;
  readonly lag: WebhookLag;
}

const lagColumns = {
  deliveries: sql<number>`(
    select count(*)::int from (
      select from webhook_deliveries d
      where d.point_system_id = webhook_endpoints.point_system_id
        and d.endpoint_id = webhook_endpoints.id and d.state = 'waiting' and d.type <> 'webhook.test'
      limit ${LAG_COUNTED_MAX}
    ) w
  )`,
  events: sql<number>`(
    select count(*)::int from (
      select from point_events e
      where e.point_system_id = webhook_endpoints.point_system_id
        and e.seq > webhook_endpoints.ledger_seq and e.moved_events is null and case
          when e.voids is null then 'points.credited' else 'points.voided'
        end = any(webhook_endpoints.event_types)
        and webhook_endpoints.event_types && array['points.credited', 'points.voided']
      order by e.seq limit ${LAG_COUNTED_MAX}
    ) t
  )`,
  sinceMs: sql<number | null>`(
    select extract(epoch from min(o.happened_at))::float8 * 1000 from (
      (
        select d.happened_at from webhook_deliveries d
        where d.point_system_id = webhook_endpoints.point_system_id
          and d.endpoint_id = webhook_endpoints.id and d.state = 'waiting'
          and d.type <> 'webhook.test'
        order by d.seq limit 1
      )
      union all
      (
        select e.created_at from point_events e
        where e.point_system_id = webhook_endpoints.point_system_id
          and e.seq > webhook_endpoints.ledger_seq and e.moved_events is null
          and webhook_endpoints.event_types && array['points.credited', 'points.voided']
        order by e.seq limit 1
      )
    ) o(happened_at)
  )`,
};

/** Lists a point system's endpoints, the oldest first. */
export async function listWebhooks(member: Member): Promise<Webhook[]> {
  return selectWebhooks(member, eq(webhookEndpoints.pointSystemId, member.pointSystemId));
}

/**
 * Reads an endpoint.
 * @throws {Failure} `not_found`
 */
export async function getWebhook(member: Member, webhookId: string): Promise<Webhook> {
  const [found] = await selectWebhooks(member, isWebhook(member, webhookId));
  if (!found) throw new Failure("not_found");
  return found;
}

/** Counts the endpoints that the service switched off. */
export async function countGivenUpWebhooks({ pointSystemId }: Member): Promise<number> {
  const [found] = await withDatabase((db) =>
    db
      .select({ webhooks: count() })
      .from(webhookEndpoints)
      .where(
        and(
          eq(webhookEndpoints.pointSystemId, pointSystemId),
          eq(webhookEndpoints.isGivenUp, true),
        ),
      ),
  );
  return found?.webhooks ?? 0;
}

/**
 * Matches the endpoint with this id in the member's point system.
 * @param webhookId the id as the browser sent it
 * @throws {Failure} `not_found` when the id is malformed
 */
export function isWebhook({ pointSystemId }: Member, webhookId: string) {
  return and(
    eq(webhookEndpoints.pointSystemId, pointSystemId),
    eq(webhookEndpoints.id, requireUuid(webhookId)),
  );
}

/** Makes the mark of a secret from the nonce that it is encrypted with. */
export const markSecret = (nonce: Uint8Array) => Buffer.from(nonce).toString("hex");

async function selectWebhooks({ role }: Member, where: ReturnType<typeof and>): Promise<Webhook[]> {
  const rows = await withDatabase((db) =>
    db
      .select({
        id: webhookEndpoints.id,
        url: webhookEndpoints.url,
        eventTypes: webhookEndpoints.eventTypes,
        createdAt: webhookEndpoints.createdAt,
        offAt: webhookEndpoints.offAt,
        isGivenUp: webhookEndpoints.isGivenUp,
        failingSince: webhookEndpoints.failingSince,
        dueAt: webhookEndpoints.dueAt,
        formerUntil: sql<Date | null>`case
          when ${webhookEndpoints.formerUntil} > now() then ${webhookEndpoints.formerUntil}
        end`.mapWith(webhookEndpoints.formerUntil),
        secretNonce: webhookEndpoints.secretNonce,
        ...lagColumns,
      })
      .from(webhookEndpoints)
      .where(where)
      .orderBy(asc(webhookEndpoints.createdAt), asc(webhookEndpoints.id)),
  );
  return rows.map(({ deliveries, events, sinceMs, url, secretNonce, ...webhook }) => ({
    ...webhook,
    url: role === "viewer" ? maskWebhookUrl(url) : url,
    secretMark: markSecret(secretNonce),
    lag: { deliveries, events, since: sinceMs === null ? null : new Date(sinceMs) },
  }));
}
