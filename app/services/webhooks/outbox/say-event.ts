import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../../../db/array-literal";
import type { Executor } from "../../../db/client";
import {
  type LedgerEventType,
  SUBJECTS_MAX,
  type WebhookEventType,
} from "../../../domain/webhooks/events";

/** A type of event that a service says, unlike those that are read from the ledger. */
type SaidEventType = Exclude<WebhookEventType, LedgerEventType>;

type Data = Readonly<Record<string, unknown>>;

/** A request, or its actor, with the W3C trace that it came with, if any. */
interface Traced {
  readonly traceId?: string | null | undefined;
}

/**
 * Says an event to the endpoints that listen for it, in the transaction of the change: it is
 * delivered exactly if the change is committed. It costs one look-up while no endpoint listens.
 * @param cause the request that causes the event, whose trace the deliveries go on with
 */
export async function sayEvent(
  executor: Executor,
  pointSystemId: string,
  type: SaidEventType,
  data: Data,
  cause?: Traced | null,
): Promise<void> {
  await insertDeliveries(executor, pointSystemId, type, [data], cause);
}

/**
 * Says an event about many subjects, such as wallets, as `sayEvent` does: in as many deliveries as
 * their number needs.
 * @param toData makes the data of a delivery from its subjects
 */
export async function sayEvents<Subject>(
  executor: Executor,
  pointSystemId: string,
  type: SaidEventType,
  subjects: readonly Subject[],
  toData: (subjects: readonly Subject[]) => Data,
  cause?: Traced | null,
): Promise<void> {
  const batches: Data[] = [];
  for (let start = 0; start < subjects.length; start += SUBJECTS_MAX) {
    batches.push(toData(subjects.slice(start, start + SUBJECTS_MAX)));
  }
  if (batches.length > 0) await insertDeliveries(executor, pointSystemId, type, batches, cause);
}

/** Checks whether any endpoint listens for a type, before its data is collected. */
export async function isHeard(
  executor: Executor,
  pointSystemId: string,
  type: SaidEventType,
): Promise<boolean> {
  const [found] = await executor.execute(sql`
    select from webhook_endpoints e
    where e.point_system_id = ${pointSystemId}::uuid and ${type} = any(e.event_types) limit 1`);
  return found !== undefined;
}

async function insertDeliveries(
  executor: Executor,
  pointSystemId: string,
  type: SaidEventType,
  batches: readonly Data[],
  cause: Traced | null | undefined,
): Promise<void> {
  const data = toArrayLiteral(batches.map((batch) => JSON.stringify(batch)));
  await executor.execute(sql`
    select say_webhook_events(
      ${pointSystemId}::uuid, ${type}, ${data}::jsonb[], ${cause?.traceId ?? null}::uuid
    )`);
}
