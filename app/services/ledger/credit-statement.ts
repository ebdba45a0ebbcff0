import { createHash } from "node:crypto";
import { toArrayLiteral } from "../../db/array-literal";
import { pipelinedQuery } from "../../db/client";
import { hasChangedNothing, isLocked, isRetryable, isUniqueViolation } from "../../db/errors";
import type { Address } from "../../domain/address";
import type { FailureCode } from "../../domain/failure";
import { Failure } from "../../domain/failure";
import { TOTAL_POINTS_MAX } from "../../domain/ledger/points";
import { isTriggerKey } from "../../domain/point-systems/trigger-key";
import { parseUuid } from "../../domain/uuid";
import { createDatabaseClock } from "./database-clock";

/** A call to credit a trigger's points to a wallet. */
export interface TriggerCall {
  readonly triggerKey: string;
  readonly walletAddress: Address;
  /** A later call with the same key repeats the first answer and credits nothing. */
  readonly idempotencyKey: string | null;
  /** The points of a trigger of variable points; null for those that the trigger names. */
  readonly points: number | null;
  /** Whether a trigger of fixed points refuses a call that names points, or passes over them. */
  readonly areFixedPointsStrict: boolean;
  /** The time at which it happened, if the caller gave one. */
  readonly occurredAt: Date | null;
  /** The caller's own data: a flat JSON object as text. */
  readonly metadata: string | null;
}

/** Calls of one API key in one point system that are credited in one transaction. */
export interface CreditOrder {
  /** The id as the client sent it; text that is not a UUID is in no key's scope. */
  readonly pointSystemId: string;
  readonly tokenHash: Buffer;
  readonly calls: readonly (TriggerCall & { readonly eventId: string })[];
  /** Credits all calls or none. Such an order has a transaction of its own. */
  readonly isAtomic: boolean;
  /** Whether a lost connection has left open if the order was credited. */
  isUncertain: boolean;
}

export interface Verdict {
  readonly verdict: FailureCode | "credited" | "replayed" | "ask_again";
  readonly apiKeyId: string | null;
  readonly pointsAdded: number;
  readonly retryAfterSeconds: number;
}

interface VerdictRow extends Verdict {
  readonly call: number;
  readonly clockMs: number;
}

/** An order met a lock or a lost connection: it can be given again. */
export class CreditOrderError extends Error {
  constructor(cause: unknown) {
    super("An order of credits failed", { cause });
    this.name = "CreditOrderError";
  }
}

/** The time that an answer needs from the end of its statement to its caller. */
const ANSWER_MS = 250;

const databaseClock = createDatabaseClock();

interface Statement {
  readonly orders: readonly CreditOrder[];
  readonly tooLateAt: Date | null;
}

const runCreditStatement = pipelinedQuery("credits", (db) => ({
  execute: ({ orders, tooLateAt }: Statement) => {
    const tokens = [...new Set(orders.map(({ tokenHash }) => tokenHash.toString("hex")))];
    const calls = orders.flatMap((order) => {
      const keyPlace = tokens.indexOf(order.tokenHash.toString("hex")) + 1;
      return order.calls.map((call) => ({ ...call, keyPlace }));
    });
    const list = (of: (call: (typeof calls)[number]) => string | Buffer | null) =>
      toArrayLiteral(calls.map(of));
    /** Most calls have none of these: no array is cheaper than one of nulls. */
    const optional = (of: (call: (typeof calls)[number]) => string | null) =>
      calls.some((call) => of(call) !== null) ? list(of) : "{}";
    return db.$client.unsafe<VerdictRow[]>(
      `select call, verdict, api_key_id as "apiKeyId", points_added as "pointsAdded",
         retry_after_seconds as "retryAfterSeconds", clock_ms as "clockMs"
       from credit_points($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
      [
        parseUuid(orders[0]?.pointSystemId ?? ""),
        toArrayLiteral(tokens.map((token) => Buffer.from(token, "hex"))),
        list((call) => String(call.keyPlace)),
        list((call) => (isTriggerKey(call.triggerKey) ? call.triggerKey : null)),
        list((call) => Buffer.from(call.walletAddress.slice(2), "hex")),
        list((call) => call.eventId),
        optional((call) => call.idempotencyKey),
        calls.some((call) => call.idempotencyKey !== null) ? list(hashRequest) : "{}",
        optional((call) => (call.areFixedPointsStrict ? toText(call.points) : null)),
        optional((call) => (call.areFixedPointsStrict ? null : toText(call.points))),
        optional((call) => call.occurredAt?.toISOString() ?? null),
        optional((call) => call.metadata),
        TOTAL_POINTS_MAX,
        tooLateAt?.toISOString() ?? null,
        orders.some(({ isAtomic }) => isAtomic),
      ],
      { prepare: true },
    );
  },
}));

const findCreditedEvents = pipelinedQuery("credits", (db) => ({
  execute: ({ pointSystemId, calls }: CreditOrder) =>
    db.$client.unsafe<{ eventId: string; apiKeyId: string; pointsAdded: number }[]>(
      `select event_id as "eventId", api_key_id as "apiKeyId", points as "pointsAdded"
       from find_credited_events($1, $2)`,
      [parseUuid(pointSystemId), toArrayLiteral(calls.map(({ eventId }) => eventId))],
      { prepare: true },
    ),
}));

/**
 * Credits orders of one point system in one transaction.
 * @param connection the number of a connection for credits
 * @param endsAtMs the time by `performance.now()` after which nothing is written
 * @returns a verdict for each call of each order
 * @throws {CreditOrderError} when the orders can be given again; each says whether it is uncertain
 * @throws {Failure} `not_credited` when that would not help
 */
export async function creditOrders(
  orders: readonly CreditOrder[],
  { connection, endsAtMs }: { readonly connection: number; readonly endsAtMs: number },
): Promise<readonly (readonly Verdict[])[]> {
  const uncertain = orders.find(({ isUncertain }) => isUncertain);
  try {
    if (uncertain) return await settleOrders(orders, connection, endsAtMs);
    return await credit(orders, connection, endsAtMs);
  } catch (error) {
    const cause = error instanceof Failure ? error.details.cause : error;
    const isConflict = isRetryable(cause) || isLocked(cause) || isUniqueViolation(cause);
    if (!(error instanceof Failure) && !isConflict) throw error;
    // Without a cause, the statement was given up without an answer.
    if (!hasChangedNothing(cause) || isUniqueViolation(cause)) {
      for (const order of orders) order.isUncertain = true;
    } else if (!isConflict && !uncertain) {
      throw new Failure("not_credited", { cause });
    }
    throw new CreditOrderError(cause);
  }
}

async function credit(
  orders: readonly CreditOrder[],
  connection: number,
  endsAtMs: number,
): Promise<readonly (readonly Verdict[])[]> {
  const tooLateAt = databaseClock.at(endsAtMs - ANSWER_MS);
  const rows = await runCreditStatement({ orders, tooLateAt }, connection);
  if (rows[0]) databaseClock.note(rows[0].clockMs);
  const verdicts: Verdict[] = [];
  for (const row of rows) verdicts[row.call - 1] = row;
  let next = 0;
  return orders.map(({ calls }) => {
    next += calls.length;
    return verdicts.slice(next - calls.length, next);
  });
}

/**
 * Settles orders whose connection was lost: finds those that were credited, and credits the others
 * under the same event ids, so that none is credited twice.
 */
async function settleOrders(
  orders: readonly CreditOrder[],
  connection: number,
  endsAtMs: number,
): Promise<readonly (readonly Verdict[])[]> {
  const settled: (readonly Verdict[])[] = [];
  for (const order of orders) {
    const events = await findCreditedEvents(order, connection);
    const found = new Map(events.map((event) => [event.eventId, event]));
    const calls = order.calls.filter(({ eventId }) => !found.has(eventId));
    const [others = []] =
      calls.length > 0 ? await credit([{ ...order, calls }], connection, endsAtMs) : [];
    const rest = others.values();
    settled.push(
      order.calls.map(({ eventId }): Verdict => {
        const event = found.get(eventId);
        if (event) return { ...event, verdict: "credited", retryAfterSeconds: 0 };
        return rest.next().value as Verdict;
      }),
    );
  }
  return settled;
}

const toText = (points: number | null) => (points === null ? null : String(points));

/** Hashes what a repetition of a call must have in common with it. */
function hashRequest({ walletAddress, triggerKey, points }: TriggerCall): Buffer {
  return createHash("sha256")
    .update(Buffer.from(walletAddress.slice(2), "hex"))
    .update(`${triggerKey}\0${points ?? ""}`)
    .digest()
    .subarray(0, 16);
}
