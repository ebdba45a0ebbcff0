import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { inTransaction, withDatabase } from "../../db/client";
import { writeTraceparent } from "../../domain/trace";
import type { DeliveryType } from "../../domain/webhooks/events";
import {
  GIVE_UP_AFTER_DAYS,
  GIVE_UP_AFTER_FAILURES,
  getRetryWaitSeconds,
} from "../../domain/webhooks/schedule";
import { signWebhook } from "../../domain/webhooks/signature";
import { recordAudit } from "../access/audit-log";
import { findDueWork } from "../runtime/due-work";
import { type Attempt, postDelivery } from "./call";
import { decryptSecrets } from "./secrets";
import { claimTurns, LEASE_S, type Turn, type TurnKind } from "./turns";

/** Attempts of this process at once. Each endpoint has at most one, so that its order is kept. */
const AT_ONCE_MAX = 64;
/** The most of them for endpoints whose last attempt took long, or failed: they may take ten seconds each. */
const AT_ONCE_OF_KIND: Readonly<Record<TurnKind, number>> = {
  quick: AT_ONCE_MAX,
  slow: 32,
  failing: 16,
};
/** The most endpoints of a claim. Those of an owner with more attempts than this are left out: one owner has half of all at most. */
const CLAIMED_MAX = AT_ONCE_MAX / 4;
/** An endpoint is slow after an attempt that took this long. This many are remembered. */
const SLOW_MS = 1_000;
const SLOW_REMEMBERED_MAX = 500;
/** An endpoint's turn ends after this time. */
const TURN_MS = 5_000;
/** The rest of an endpoint that has nothing more to send: later credits join one delivery. */
const REST_MS = 500;

/** A delivery to send now. */
interface Delivery {
  readonly seq: string;
  readonly id: string;
  readonly type: DeliveryType;
  readonly happenedAt: Date;
  readonly data: Readonly<Record<string, unknown>>;
  /** The trace of the request that caused it, if it is one. */
  readonly traceId: string | null;
  /** Whether more waits behind it. */
  readonly hasMore: boolean;
}

/** The parts of a delivery that its request is made of. */
export type Message = Pick<Delivery, "id" | "type" | "happenedAt" | "data"> & {
  readonly pointSystemId: string;
};

export interface Deliverer {
  /**
   * Begins the turns of endpoints that have something to send, as far as there is room.
   * @param report receives the failure of a turn
   * @param signal interrupts attempts and begins no more; another process, or the next start, repeats
   *   what it interrupted
   */
  readonly look: (report: (error: unknown) => void, signal: AbortSignal) => Promise<void>;
  /** Waits for the turns that have begun. */
  readonly settle: () => Promise<void>;
}

type Look = Parameters<Deliverer["look"]>;

/** Creates the deliverer of a process. */
export function createDeliverer(): Deliverer {
  const turns = new Map<Promise<void>, { readonly kind: TurnKind; readonly ownerId: string }>();
  /** The ids of endpoints whose last attempt in this process took long. */
  const slow = new LRUCache<string, true>({ max: SLOW_REMEMBERED_MAX });
  /** The order in which they are looked for. Each comes first in turn. */
  const kinds: TurnKind[] = ["quick", "slow", "failing"];
  const count = (kind: TurnKind) => [...turns.values()].filter((turn) => turn.kind === kind).length;

  /** Lists the owners who get no more attempts, so that others find room. */
  function listBusyOwners(): string[] {
    const counts = new Map<string, number>();
    for (const { ownerId } of turns.values()) counts.set(ownerId, (counts.get(ownerId) ?? 0) + 1);
    return [...counts].filter(([, taken]) => taken > CLAIMED_MAX).map(([ownerId]) => ownerId);
  }

  function noteTime(id: string, tookMs: number): void {
    if (tookMs >= SLOW_MS) slow.set(id, true);
    else slow.delete(id);
  }

  function begin(turn: Turn, kind: TurnKind, ...[report, signal]: Look): void {
    const ended = takeTurn(turn, signal, noteTime)
      .catch(report)
      .finally(() => turns.delete(ended));
    turns.set(ended, { kind, ownerId: turn.ownerId });
  }

  /**
   * Begins turns of a kind, as far as there is room for a claim.
   * @returns whether there may be more
   */
  async function claim(kind: TurnKind, ...look: Look): Promise<boolean> {
    if (kind === "slow" && slow.size === 0) return false;
    const room = Math.min(AT_ONCE_MAX - turns.size, AT_ONCE_OF_KIND[kind] - count(kind));
    const most = Math.min(room, CLAIMED_MAX);
    if (most <= 0) return false;
    const claimed = await claimTurns(kind, [...slow.keys()], listBusyOwners(), most);
    for (const turn of claimed) begin(turn, kind, ...look);
    return claimed.length >= CLAIMED_MAX;
  }

  return {
    async look(report, signal) {
      if (signal.aborted || !(await findDueWork()).hasWebhooks) return;
      for (const kind of [...kinds]) {
        for (
          let left = AT_ONCE_MAX;
          left > 0 && (await claim(kind, report, signal));
          left -= CLAIMED_MAX
        );
      }
      kinds.push(kinds.shift() as TurnKind);
    },
    async settle() {
      while (turns.size > 0) await Promise.all(turns.keys());
    },
  };
}

/** Makes the body of a delivery: the same for each attempt. */
export function toBody({ pointSystemId, type, happenedAt, data }: Message): string {
  const timestamp = happenedAt.toISOString();
  return JSON.stringify({ type, timestamp, data: { pointSystemId, ...data } });
}

/** Sends an endpoint's deliveries one after the other, until one fails, none waits or its time is up. */
async function takeTurn(
  turn: Turn,
  signal: AbortSignal,
  noteTime: (id: string, tookMs: number) => void,
): Promise<void> {
  const endsAt = performance.now() + TURN_MS;
  for (;;) {
    const delivery = await takeDelivery(turn);
    if (!delivery) return endTurn(turn, REST_MS);
    if (delivery !== "passed") {
      const attempt = await attemptDelivery(turn, delivery, signal);
      noteTime(turn.id, attempt.tookMs);
      // An attempt that this process broke off says nothing about the receiver.
      if (signal.aborted && !attempt.isDelivered) return endTurn(turn, 0);
      const isTest = delivery.type === "webhook.test";
      if (!attempt.isDelivered && !isTest) return noteFailure(turn, delivery, attempt);
      await noteAttempt(turn, delivery, attempt, attempt.isDelivered ? "delivered" : "failed");
      if (!delivery.hasMore) return endTurn(turn, REST_MS);
    }
    if (signal.aborted || performance.now() > endsAt) return endTurn(turn, 0);
  }
}

/**
 * Takes the next delivery. Returns undefined when there is none, and "passed" when the call passed over many events for
 * which the endpoint does not listen.
 */
async function takeDelivery({
  pointSystemId,
  id,
  lease,
}: Turn): Promise<Delivery | "passed" | undefined> {
  const [row] = await withDatabase((db) =>
    db.execute<{
      seq: string | null;
      id: string;
      type: DeliveryType;
      happenedMs: number;
      data: Delivery["data"];
      traceId: string | null;
      hasMore: boolean;
    }>(sql`
      select d.seq::text as seq, d.id, d.type, d.data, d.trace_id as "traceId", d.has_more as "hasMore",
        (extract(epoch from d.happened_at) * 1000)::float8 as "happenedMs"
      from take_webhook_delivery(${pointSystemId}::uuid, ${id}::uuid, ${lease}::uuid, ${LEASE_S}) d`),
  );
  if (!row) return undefined;
  const { seq, happenedMs, ...delivery } = row;
  return seq === null ? "passed" : { ...delivery, seq, happenedAt: new Date(happenedMs) };
}

async function attemptDelivery(
  turn: Turn,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<Attempt> {
  let secrets: string[];
  try {
    secrets = decryptSecrets(turn);
  } catch {
    const problem = "Its secret cannot be decrypted. GIFT_CARD_KEYS lacks a key";
    return { isDelivered: false, status: null, answer: null, problem, tookMs: 0 };
  }
  const body = toBody({ ...delivery, pointSystemId: turn.pointSystemId });
  const seconds = Math.floor(Date.now() / 1_000);
  const headers = {
    "Content-Type": "application/json",
    "User-Agent": "points-and-rewards",
    "webhook-id": delivery.id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signWebhook(secrets, { id: delivery.id, seconds, body }),
    traceparent: writeTraceparent(getTrace(delivery), randomBytes(8).toString("hex")),
  };
  return postDelivery(new URL(turn.url), headers, body, signal);
}

/** Returns the trace of the request that caused a delivery, or one of its id: the same for each attempt. */
const getTrace = ({ id, traceId }: Delivery) => (traceId ?? id).replaceAll("-", "");

/**
 * Writes an attempt. A delivery ends the endpoint's failures; a test says nothing about them. Once the lease is lost the
 * delivery waits on: another process has it, or it is for another URL. Locks the endpoint before its delivery, as operators'
 * changes do.
 */
async function noteAttempt(
  turn: Turn,
  { seq, type }: Delivery,
  attempt: Attempt,
  state: "delivered" | "failed",
): Promise<void> {
  const { pointSystemId, id, lease } = turn;
  await inTransaction(async (tx) => {
    if (state === "delivered" && type !== "webhook.test") {
      await tx.execute(sql`
        update webhook_endpoints set failures = 0, failing_since = null
        where point_system_id = ${pointSystemId} and id = ${id} and lease = ${lease}::uuid and failures > 0`);
    }
    await tx.execute(buildAttemptUpdate(turn, seq, attempt, state));
  });
}

/**
 * Writes a failed attempt and the time of the next one: at once when an operator asked for it meanwhile. An endpoint that
 * has failed for three days is switched off. Locks the endpoint before its delivery, as operators' changes do.
 */
async function noteFailure(turn: Turn, { seq }: Delivery, attempt: Attempt): Promise<void> {
  const { pointSystemId, id, lease, dueAt, url } = turn;
  await inTransaction(async (tx) => {
    const [endpoint] = await tx.execute<{
      failures: number;
      failingSince: string;
      isOver: boolean;
      isAskedFor: boolean;
    }>(sql`
        select failures, coalesce(failing_since, now())::text as "failingSince",
          due_at <> ${dueAt}::timestamptz as "isAskedFor",
          off_at is null and failures + 1 >= ${GIVE_UP_AFTER_FAILURES}
            and coalesce(failing_since < now() - make_interval(days => ${GIVE_UP_AFTER_DAYS}), false) as "isOver"
        from webhook_endpoints
        where point_system_id = ${pointSystemId} and id = ${id} and lease = ${lease}::uuid
        for update`);
    await tx.execute(buildAttemptUpdate(turn, seq, attempt, "waiting"));
    if (!endpoint) return;
    const failures = endpoint.failures + 1;
    const waitS = endpoint.isAskedFor ? 0 : getRetryWaitSeconds(failures);
    await tx.execute(sql`
        update webhook_endpoints
        set lease = null, leased_until = null, failures = ${failures}::int,
          failing_since = ${endpoint.failingSince}::timestamptz,
          due_at = now() + make_interval(secs => ${waitS}),
          -- Citus takes no now() within a case.
          off_at = ${endpoint.isOver ? sql`now()` : sql`off_at`},
          is_given_up = is_given_up or ${endpoint.isOver}
        where point_system_id = ${pointSystemId} and id = ${id}`);
    if (!endpoint.isOver) return;
    await recordAudit(tx, "background job", {
      pointSystemId,
      action: "webhook.give_up",
      subject: url,
      after: { id, days: GIVE_UP_AFTER_DAYS, problem: attempt.problem },
    });
  });
}

const buildAttemptUpdate = (
  { pointSystemId, id, lease }: Turn,
  seq: string,
  { status, answer, problem, tookMs }: Attempt,
  state: string,
) => sql`
  update webhook_deliveries
  set state = case
      when state = 'waiting' and exists (
        select 1 from webhook_endpoints e
        where e.point_system_id = ${pointSystemId} and e.id = ${id} and e.lease = ${lease}::uuid
      ) then ${state} else state end, attempts = attempts + 1,
    attempted_at = now(), took_ms = ${tookMs}::int, status = ${status}::int,
    answer = ${answer}::text, problem = ${problem}::text
  where point_system_id = ${pointSystemId} and endpoint_id = ${id} and seq = ${seq}::bigint`;

/** Gives the endpoint back, for any process, after a rest. */
async function endTurn({ pointSystemId, id, lease }: Turn, restMs: number): Promise<void> {
  await withDatabase((db) =>
    db.execute(sql`
      update webhook_endpoints
      set lease = null, leased_until = null,
        due_at = now() + make_interval(secs => ${restMs / 1_000}::float8)
      where point_system_id = ${pointSystemId} and id = ${id} and lease = ${lease}::uuid`),
  );
}
