import { sql } from "drizzle-orm";
import { runForAll } from "../../db/citus/shard-query";
import { type Transaction, withDatabase } from "../../db/client";
import { Failure } from "../../domain/failure";
import { requireUuid } from "../../domain/uuid";
import type { DeliveryState, DeliveryType } from "../../domain/webhooks/events";
import { KEPT_DAYS, TRACES_KEPT_HOURS } from "../../domain/webhooks/schedule";
import { hideInFields, seesAddresses } from "../access/colleagues";
import { type Editor, type Member, nameActor } from "../access/members";
import { toBody } from "./delivering";
import { BATCH_SIZE, changeWebhook } from "./endpoints";

/** A delivery as a list shows it. */
export interface DeliverySummary {
  /** Its place in the endpoint's order, as text. */
  readonly seq: string;
  readonly id: string;
  readonly type: DeliveryType;
  readonly state: DeliveryState;
  readonly createdAt: Date;
  readonly attempts: number;
  readonly attemptedAt: Date | null;
  readonly tookMs: number | null;
  readonly status: number | null;
  readonly problem: string | null;
}

/** A delivery with the request and the answer of its last attempt. */
export interface DeliveryDetails extends DeliverySummary {
  readonly body: string;
  readonly answer: string | null;
}

const PAGE_SIZE = 25;
const REPLAYED_MAX = 50_000;
const SEQ_PATTERN = /^-?\d{1,18}$/;
const CURSOR_PATTERN = /^(\d{1,15})\.(-?\d{1,18})$/;

type Row<Value> = { [Key in keyof Value]: Value[Key] };
type Times = { createdMs: number; attemptedMs: number | null };
type SummaryRow = Row<Omit<DeliverySummary, "createdAt" | "attemptedAt">> & Times;

const summaryColumns = sql`
  d.seq::text as seq, d.id, d.type, d.state, d.attempts, d.took_ms as "tookMs", d.status, d.problem,
  (extract(epoch from d.created_at) * 1000)::float8 as "createdMs",
  (extract(epoch from d.attempted_at) * 1000)::float8 as "attemptedMs"`;

/**
 * Lists an endpoint's deliveries, newest first.
 * @param before the place after which the list continues, as the browser sent it
 * @returns the deliveries, and the place of the next ones
 */
export async function listDeliveries(
  { pointSystemId }: Member,
  webhookId: string,
  before: string | null,
): Promise<{ deliveries: DeliverySummary[]; older: string | null }> {
  const id = requireUuid(webhookId);
  const [, ms, seq] = CURSOR_PATTERN.exec(before ?? "") ?? [];
  const isBefore =
    ms !== undefined &&
    sql`and (d.created_at, d.seq) < (to_timestamp(${ms}::float8 / 1000), ${seq}::bigint)`;
  const rows = await withDatabase((db) =>
    db.execute<SummaryRow>(sql`
      select ${summaryColumns} from webhook_deliveries d
      where d.point_system_id = ${pointSystemId} and d.endpoint_id = ${id} ${isBefore || sql``}
      order by d.created_at desc, d.seq desc limit ${PAGE_SIZE + 1}`),
  );
  const deliveries = rows.slice(0, PAGE_SIZE).map(toSummary);
  const last = deliveries.at(-1);
  const hasMore = rows.length > PAGE_SIZE && last !== undefined;
  return { deliveries, older: hasMore ? `${last.createdAt.getTime()}.${last.seq}` : null };
}

/**
 * Reads a delivery with its request and the last answer. Viewers see no address of a colleague in it, and no text of the
 * answer: receivers that refuse a call repeat its URL there, with what is secret in it.
 * @throws {Failure} `not_found`
 */
export async function getDelivery(
  member: Member,
  webhookId: string,
  seq: string,
): Promise<DeliveryDetails> {
  const { pointSystemId } = member;
  const id = requireUuid(webhookId);
  const [row] = await withDatabase((db) =>
    db.execute<
      SummaryRow & { answer: string | null; happenedMs: number; data: Record<string, unknown> }
    >(sql`
      select ${summaryColumns}, d.answer,
        (extract(epoch from d.happened_at) * 1000)::float8 as "happenedMs",
        coalesce(d.data, read_webhook_data(d.point_system_id, d.type, d.seq, d.seq_to)) as data
      from webhook_deliveries d
      join webhook_endpoints e on e.point_system_id = d.point_system_id and e.id = d.endpoint_id
      where d.point_system_id = ${pointSystemId} and d.endpoint_id = ${id}
        and d.seq = ${requireSeq(seq)}::bigint`),
  );
  if (!row) throw new Failure("not_found");
  const { happenedMs, ...found } = row;
  const { answer, data, ...rest } = seesAddresses(member)
    ? found
    : { ...hideInFields(found), answer: null };
  const summary = toSummary(rest);
  const happenedAt = new Date(happenedMs);
  return { ...summary, answer, body: toBody({ ...summary, pointSystemId, happenedAt, data }) };
}

/**
 * Queues a test before everything that waits. It is tried once, and says nothing about the
 * endpoint's failures.
 * @throws {Failure} `not_found`, `webhook_off`
 */
export function sendTest(member: Editor, webhookId: string): Promise<{ url: string }> {
  return changeWebhook(member, webhookId, "webhook.test", async (tx, { id, offAt }) => {
    if (offAt) throw new Failure("webhook_off");
    const { pointSystemId, actor } = member;
    // A negative position is before all others.
    await tx.execute(sql`
      insert into webhook_deliveries (point_system_id, endpoint_id, seq, type, data)
      values (
        ${pointSystemId}, ${id}, -next_ledger_seq(${pointSystemId}::uuid), 'webhook.test',
        ${JSON.stringify({ sentBy: nameActor(actor) })}::jsonb
      )`);
    await makeDue(tx, pointSystemId, id);
    return {};
  });
}

/**
 * Sends a delivery again, with the same id.
 * @throws {Failure} `not_found`, `webhook_moved_on` when it waits already
 */
export function replayDelivery(
  member: Editor,
  webhookId: string,
  seq: string,
): Promise<{ url: string }> {
  return changeDelivery(member, webhookId, seq, "webhook.replay", {
    from: ["delivered", "failed", "skipped"],
    to: "waiting",
  });
}

/**
 * Skips a delivery that waits, so that those behind it are sent.
 * @throws {Failure} `not_found`, `webhook_moved_on` when it does not wait
 */
export function skipDelivery(
  member: Editor,
  webhookId: string,
  seq: string,
): Promise<{ url: string }> {
  return changeDelivery(member, webhookId, seq, "webhook.skip", {
    from: ["waiting"],
    to: "skipped",
  });
}

/**
 * Sends all deliveries since a moment again, in their order and with their ids. Tests are left out.
 * @returns their number
 * @throws {Failure} `not_found`, `webhook_replay_too_long`
 */
export async function replaySince(
  member: Editor,
  webhookId: string,
  since: Date,
): Promise<{ replayed: number }> {
  const { pointSystemId } = member;
  let replayed = 0;
  await changeWebhook(member, webhookId, "webhook.replay", async (tx, { id }) => {
    const isMeant = sql`
      d.point_system_id = ${pointSystemId} and d.endpoint_id = ${id}
      and d.created_at >= ${since.toISOString()}::timestamptz
      and d.state in ('delivered', 'skipped') and d.type <> 'webhook.test'`;
    const [counted] = await tx.execute<{ deliveries: number }>(sql`
      select count(*)::int as deliveries from (
        select from webhook_deliveries d where ${isMeant} limit ${REPLAYED_MAX + 1}
      ) c`);
    if ((counted?.deliveries ?? 0) > REPLAYED_MAX) throw new Failure("webhook_replay_too_long");
    for (let count = BATCH_SIZE; count === BATCH_SIZE; replayed += count) {
      ({ count } = await tx.execute(sql`
        update webhook_deliveries d set state = 'waiting'
        where d.point_system_id = ${pointSystemId} and ctid = any(array(
          select d.ctid from webhook_deliveries d where ${isMeant} limit ${BATCH_SIZE}
        ))`));
    }
    await makeDue(tx, pointSystemId, id);
    return { since: since.toISOString(), replayed };
  });
  return { replayed };
}

/**
 * Removes deliveries that are older than they are kept, some at a time: those that ended, those of an
 * endpoint that is gone, and those that wait for one that is off. Credits and voids wait for good.
 * @returns whether there may be more
 */
export async function removeOldDeliveries(): Promise<boolean> {
  return withDatabase(async (db) => {
    const removed = await runForAll(
      db,
      sql`
      delete from webhook_deliveries where ctid = any(array(
        select d.ctid from webhook_deliveries d
        where d.created_at < now() - make_interval(days => ${KEPT_DAYS})
          and (d.state <> 'waiting' or not exists (
            select 1 from webhook_endpoints e
            where e.point_system_id = d.point_system_id and e.id = d.endpoint_id
              and (e.off_at is null or d.seq_to is not null)
          ))
        order by d.created_at limit ${BATCH_SIZE}
      ))`,
    );
    return removed === BATCH_SIZE;
  });
}

/**
 * Removes traces of credits that no delivery has taken up in time, some at a time.
 * @returns whether there may be more
 */
export async function removeOldTraces(): Promise<boolean> {
  return withDatabase(async (db) => {
    const removed = await runForAll(
      db,
      sql`
      delete from credit_traces where ctid = any(array(
        select ctid from credit_traces
        where created_at < now() - make_interval(hours => ${TRACES_KEPT_HOURS})
        order by created_at limit ${BATCH_SIZE}
      ))`,
    );
    return removed === BATCH_SIZE;
  });
}

function changeDelivery(
  member: Editor,
  webhookId: string,
  seq: string,
  action: "webhook.replay" | "webhook.skip",
  { from, to }: { from: readonly DeliveryState[]; to: DeliveryState },
): Promise<{ url: string }> {
  return changeWebhook(member, webhookId, action, async (tx, { id }) => {
    const { pointSystemId } = member;
    const [delivery] = await tx.execute<{ id: string; type: string; state: DeliveryState }>(sql`
      select id, type, state from webhook_deliveries
      where point_system_id = ${pointSystemId} and endpoint_id = ${id}
        and seq = ${requireSeq(seq)}::bigint
      for update`);
    if (!delivery) throw new Failure("not_found");
    if (!from.includes(delivery.state)) throw new Failure("webhook_moved_on");
    await tx.execute(sql`
      update webhook_deliveries set state = ${to}
      where point_system_id = ${pointSystemId} and endpoint_id = ${id}
        and seq = ${requireSeq(seq)}::bigint`);
    await makeDue(tx, pointSystemId, id);
    // What failed is not sent any more: the delivery behind it has its own attempts.
    if (to === "skipped") await forgetFailures(tx, pointSystemId, id);
    return { delivery: delivery.id, type: delivery.type };
  });
}

/** Lets the next attempt come at once. */
async function makeDue(tx: Transaction, pointSystemId: string, id: string): Promise<void> {
  await tx.execute(sql`
    update webhook_endpoints set due_at = now()
    where point_system_id = ${pointSystemId} and id = ${id}`);
}

async function forgetFailures(tx: Transaction, pointSystemId: string, id: string): Promise<void> {
  await tx.execute(sql`
    update webhook_endpoints set failures = 0, failing_since = null
    where point_system_id = ${pointSystemId} and id = ${id}`);
}

function toSummary({ createdMs, attemptedMs, ...row }: SummaryRow): DeliverySummary {
  const attemptedAt = attemptedMs === null ? null : new Date(attemptedMs);
  return { ...row, createdAt: new Date(createdMs), attemptedAt };
}

function requireSeq(text: string): string {
  if (!SEQ_PATTERN.test(text)) throw new Failure("not_found");
  return text;
}
