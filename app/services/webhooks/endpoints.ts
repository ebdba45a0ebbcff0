import { eq, sql } from "drizzle-orm";
import { inTransaction, type Transaction } from "../../db/client";
import { webhookEndpoints } from "../../db/schema/webhooks";
import type { AuditAction } from "../../domain/access/audit";
import { Failure } from "../../domain/failure";
import { requireUuid } from "../../domain/uuid";
import type { WebhookEventType } from "../../domain/webhooks/events";
import { FORMER_SECRET_HOURS } from "../../domain/webhooks/schedule";
import { generateWebhookSecret } from "../../domain/webhooks/signature";
import { recordAudit } from "../access/audit-log";
import type { Editor, Member } from "../access/members";
import { lockPointSystem } from "../access/point-system-lock";
import { encryptSecret } from "./secrets";
import { isWebhook, markSecret } from "./webhooks";

export interface WebhookSettings {
  readonly url: URL;
  readonly eventTypes: readonly WebhookEventType[];
}

export interface NewWebhook extends WebhookSettings {
  /** A UUID that came with the form, so that a form that is sent twice makes one endpoint. */
  readonly id: string;
}

/** The most endpoints of a point system. */
export const WEBHOOKS_MAX = 10;
/** Deliveries in one statement. */
export const BATCH_SIZE = 5_000;

/**
 * Creates an endpoint. It hears what happens from now on.
 * @returns the secret, which is only shown this once
 * @throws {Failure} `not_found`, `too_many_webhooks`, `webhook_exists` when the form was sent
 *   before, `gift_card_keys_missing`
 */
export async function createWebhook(
  { actor, pointSystemId }: Editor,
  { url, eventTypes, ...posted }: NewWebhook,
): Promise<{ secret: string }> {
  const id = requireUuid(posted.id, "invalid_form");
  const secret = generateWebhookSecret();
  const { ciphertext, nonce, keyId } = encryptSecret({ pointSystemId, id }, secret);
  await inTransaction(async (tx) => {
    // Creations in a point system are serialized, so that the limit holds.
    await lockPointSystem(tx, pointSystemId);
    const existing = await tx
      .select({ id: webhookEndpoints.id })
      .from(webhookEndpoints)
      .where(eq(webhookEndpoints.pointSystemId, pointSystemId));
    if (existing.some((other) => other.id === id)) throw new Failure("webhook_exists");
    if (existing.length >= WEBHOOKS_MAX) throw new Failure("too_many_webhooks");
    await tx.insert(webhookEndpoints).values({
      pointSystemId,
      id,
      url: url.href,
      eventTypes: [...eventTypes],
      secretCiphertext: ciphertext,
      secretNonce: nonce,
      secretKeyId: keyId,
      ledgerSeq: selectNewestSeq(pointSystemId),
    });
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "webhook.create",
      subject: url.href,
      after: { id, eventTypes },
    });
  });
  return { secret };
}

/**
 * Gives an endpoint a new secret. For a day, deliveries are signed with the former one as well.
 * @returns the new secret, which is only shown this once
 * @throws {Failure} `not_found`, `webhook_moved_on` when the form is not the newest,
 *   `gift_card_keys_missing`
 */
export async function rotateWebhookSecret(
  member: Editor,
  webhookId: string,
  seen: string,
): Promise<{ secret: string }> {
  const secret = generateWebhookSecret();
  await changeWebhook(member, webhookId, "webhook.rotate", async (tx, { id, secretNonce }) => {
    // A form that is sent twice must not end the secret that the first answer showed.
    if (markSecret(secretNonce) !== seen) throw new Failure("webhook_moved_on");
    const { pointSystemId } = member;
    const { ciphertext, nonce, keyId } = encryptSecret({ pointSystemId, id }, secret);
    const columns = webhookEndpoints;
    await tx
      .update(webhookEndpoints)
      .set({
        formerCiphertext: sql`${columns.secretCiphertext}`,
        formerNonce: sql`${columns.secretNonce}`,
        formerKeyId: sql`${columns.secretKeyId}`,
        formerUntil: sql`now() + make_interval(hours => ${FORMER_SECRET_HOURS})`,
        secretCiphertext: ciphertext,
        secretNonce: nonce,
        secretKeyId: keyId,
      })
      .where(isWebhook(member, id));
    return {};
  });
  return { secret };
}

/**
 * Changes an endpoint's URL and the events that it hears. A new URL is tried at once, with what
 * waits. One that heard nothing of the ledger hears of it from now on.
 * @throws {Failure} `not_found`
 */
export function updateWebhook(
  member: Editor,
  webhookId: string,
  { url, eventTypes }: WebhookSettings,
): Promise<{ url: string }> {
  return changeWebhook(member, webhookId, "webhook.update", async (tx, webhook) => {
    const beginsWithLedger = hearsLedger(eventTypes) && !hearsLedger(webhook.eventTypes);
    await tx
      .update(webhookEndpoints)
      .set({
        url: url.href,
        eventTypes: [...eventTypes],
        ...(beginsWithLedger && { ledgerSeq: selectNewestSeq(member.pointSystemId) }),
        // The attempt that is under way counts no more: it calls the former URL.
        ...(url.href !== webhook.url && {
          failingSince: null,
          failures: 0,
          dueAt: sql`now()`,
          lease: null,
          leasedUntil: null,
        }),
      })
      .where(isWebhook(member, webhook.id));
    const hasNewUrl = url.href !== webhook.url;
    return { url: url.href, hasNewUrl, eventTypes };
  });
}

/** Switches an endpoint off. What happens meanwhile waits for it. */
export function switchWebhookOff(member: Editor, webhookId: string): Promise<{ url: string }> {
  return changeWebhook(member, webhookId, "webhook.off", async (tx, { id, offAt }) => {
    if (offAt) throw new Failure("webhook_moved_on");
    await tx.update(webhookEndpoints).set({ offAt: sql`now()` }).where(isWebhook(member, id));
    return {};
  });
}

/**
 * Switches an endpoint on, and tries at once.
 * @param from whether it continues where it stopped, or hears only what happens from now on
 * @throws {Failure} `not_found`, `webhook_moved_on` when it is on
 */
export async function switchWebhookOn(
  member: Editor,
  webhookId: string,
  from: "where-it-stopped" | "now",
): Promise<{ url: string }> {
  const { pointSystemId } = member;
  // A large backlog takes longer than a transaction may. The change itself finds the few that came meanwhile.
  while (from === "now" && (await skipBatch(member, webhookId)));
  return changeWebhook(member, webhookId, "webhook.on", async (tx, { id, offAt }) => {
    if (!offAt) throw new Failure("webhook_moved_on");
    await tx
      .update(webhookEndpoints)
      .set({
        offAt: null,
        isGivenUp: false,
        failingSince: null,
        failures: 0,
        dueAt: sql`now()`,
        ...(from === "now" && { ledgerSeq: selectNewestSeq(pointSystemId) }),
      })
      .where(isWebhook(member, id));
    while (from === "now" && (await skipWaiting(tx, pointSystemId, id)));
    return { from };
  });
}

/**
 * Skips some of what waits for an endpoint that is off.
 * @returns whether more may wait
 */
async function skipBatch(member: Editor, webhookId: string): Promise<boolean> {
  return inTransaction(async (tx) => {
    const { id, offAt } = await lockWebhook(tx, member, webhookId);
    return offAt !== null && skipWaiting(tx, member.pointSystemId, id);
  });
}

async function skipWaiting(tx: Transaction, pointSystemId: string, id: string): Promise<boolean> {
  const { count } = await tx.execute(sql`
    update webhook_deliveries set state = 'skipped'
    where point_system_id = ${pointSystemId} and ctid = any(array(
      select ctid from webhook_deliveries
      where point_system_id = ${pointSystemId} and endpoint_id = ${id} and state = 'waiting'
      limit ${BATCH_SIZE}
    ))`);
  return count === BATCH_SIZE;
}

/** Deletes an endpoint. Its deliveries are removed when they are old enough. */
export function deleteWebhook(member: Editor, webhookId: string): Promise<{ url: string }> {
  return changeWebhook(member, webhookId, "webhook.delete", async (tx, { id }) => {
    await tx.delete(webhookEndpoints).where(isWebhook(member, id));
    return {};
  });
}

/** An endpoint that a transaction has locked. */
type LockedWebhook = Pick<
  typeof webhookEndpoints.$inferSelect,
  "id" | "url" | "eventTypes" | "offAt" | "secretNonce"
>;

/**
 * Changes an endpoint in a transaction that has locked it, and records the change.
 * @param change returns more fields for the audit log
 * @throws {Failure} `not_found`, and the failures of the change
 */
export async function changeWebhook(
  member: Editor,
  webhookId: string,
  action: AuditAction,
  change: (tx: Transaction, webhook: LockedWebhook) => Promise<Readonly<Record<string, unknown>>>,
): Promise<{ url: string }> {
  const { actor, pointSystemId } = member;
  return inTransaction(async (tx) => {
    const webhook = await lockWebhook(tx, member, webhookId);
    const { id, url } = webhook;
    const after = { id, ...(await change(tx, webhook)) };
    await recordAudit(tx, actor, { pointSystemId, action, subject: url, after });
    return { url };
  });
}

async function lockWebhook(
  tx: Transaction,
  member: Member,
  webhookId: string,
): Promise<LockedWebhook> {
  const [webhook] = await tx
    .select({
      id: webhookEndpoints.id,
      url: webhookEndpoints.url,
      eventTypes: webhookEndpoints.eventTypes,
      offAt: webhookEndpoints.offAt,
      secretNonce: webhookEndpoints.secretNonce,
    })
    .from(webhookEndpoints)
    .where(isWebhook(member, webhookId))
    .for("no key update");
  if (!webhook) throw new Failure("not_found");
  return webhook;
}

const hearsLedger = (types: readonly string[]) =>
  types.includes("points.credited") || types.includes("points.voided");

/**
 * Selects the position of the newest event that is committed. Every later one has a higher position,
 * since writers take theirs under the ledger lock.
 */
const selectNewestSeq = (pointSystemId: string) =>
  sql<number>`newest_event_seq(${pointSystemId}::uuid)`;
