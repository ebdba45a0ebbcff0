import { hash } from "node:crypto";
import { sql } from "drizzle-orm";
import { readPlainArray, toArrayLiteral, toBytesArray, toPlainArray } from "../../db/array-literal";
import { BATCH_STATEMENT } from "../../db/batch-statement";
import { pipelinedQuery, withDatabase } from "../../db/client";
import {
  getErrorDetail,
  hasChangedNothing,
  isLocked,
  isRetryable,
  isTimedOut,
  isUniqueViolation,
} from "../../db/errors";
import type { Address } from "../../domain/address";
import type { Room } from "../../domain/call-limits";
import type { FailureCode } from "../../domain/failure";
import { Failure } from "../../domain/failure";
import { createEventId } from "../../domain/ledger/event-id";
import { TOTAL_POINTS_MAX } from "../../domain/ledger/points";
import { isTriggerKey } from "../../domain/point-systems/trigger-key";
import { parseUuid } from "../../domain/uuid";
import { getDatabaseClock } from "./database-clock";

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
  /** The trace of the caller's request, if it has one. */
  readonly traceId?: string | null;
  /** The failure of a call that can only repeat an earlier one: it credits nothing, also beside another call of its key. */
  readonly unlessRepeated?: FailureCode;
}

/** Calls of one API key in one point system that are credited in one transaction. */
export interface CreditOrder {
  /** The id as the client sent it; text that is not a UUID is in no key's scope. */
  readonly pointSystemId: string;
  readonly tokenHash: Buffer;
  calls: readonly (TriggerCall & { readonly eventId: string })[];
  /** Credits all calls or none. Such an order has a transaction of its own. */
  readonly isAtomic: boolean;
  /** Whether a lost connection has left open if the order was credited. */
  isUncertain: boolean;
  /** The places at which the wallets of its calls were found, as PostgreSQL writes them; they may be wrong by now. */
  places?: string | null;
  /** The time by the database's clock at which it was first sent, rather too early; null when unknown. */
  sentAt?: Date | null;
}

export interface Verdict {
  readonly verdict: FailureCode | "credited" | "replayed";
  readonly apiKeyId: string | null;
  readonly pointsAdded: number;
  /** The room within the trigger limit; null when the call was not counted against it. */
  readonly room: Room | null;
  /** The seconds until a call that was refused can succeed; null where time alone does not help. */
  readonly retryAfterSeconds: number | null;
}

/** The answer to a statement: arrays as text, with an element for each call. */
interface VerdictsRow {
  readonly calls: string;
  readonly verdicts: string;
  readonly apiKeyIds: string;
  readonly pointsAdded: string;
  readonly callsLeft: string;
  readonly roomAfterSeconds: string;
  readonly clockMs: number;
}

/** Orders met a lock, a lost connection or the end of the oldest call's time: they can be given again. */
export class CreditOrderError extends Error {
  constructor(cause: unknown) {
    super("An order of credits failed", { cause });
    this.name = "CreditOrderError";
  }
}

/** The time that an answer needs from the end of its statement to its caller. */
const ANSWER_MS = 250;

/** The most by which clocks that are kept in time are set back at once. */
const CLOCK_STEP_MS = 1_000;

interface Statement {
  readonly orders: readonly CreditOrder[];
  readonly tooLateAt: Date | null;
}

const runCreditStatement = pipelinedQuery("credits", (db) => ({
  execute: ({ orders, tooLateAt }: Statement) => {
    /** The place of each API key's hash, from 1 on. */
    const places = new Map<string, number>();
    const keyPlaces: number[] = [];
    for (const order of orders) {
      const token = order.tokenHash.toString("hex");
      const place = places.get(token) ?? places.size + 1;
      places.set(token, place);
      for (const _ of order.calls) keyPlaces.push(place);
    }
    const calls = orders.flatMap((order) => order.calls);
    /** Most calls have none of these: no array is cheaper than one of nulls. */
    const optional = (of: (call: TriggerCall) => string | null) => {
      const values = calls.map(of);
      return values.some((value) => value !== null) ? toArrayLiteral(values) : "{}";
    };
    const hasKeys = calls.some((call) => call.idempotencyKey !== null);
    const traces = calls.map(({ traceId }) => traceId ?? null);
    const isTraced = traces.some((trace) => trace !== null);
    return db.$client.unsafe<VerdictsRow[]>(
      `select calls, verdicts, api_key_ids as "apiKeyIds", points_added as "pointsAdded",
         calls_left as "callsLeft", room_after_seconds as "roomAfterSeconds", clock_ms as "clockMs"
       from ${isTraced ? "credit_traced_points" : "credit_points"}($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13,
         $14, $15, $16${isTraced ? ", $17" : ""})`,
      [
        parseUuid(orders[0]?.pointSystemId ?? ""),
        toBytesArray([...places.keys()]),
        toPlainArray(keyPlaces),
        toArrayLiteral(
          calls.map(({ triggerKey, unlessRepeated }) =>
            isTriggerKey(triggerKey) && unlessRepeated === undefined ? triggerKey : null,
          ),
        ),
        toBytesArray(calls.map((call) => call.walletAddress.slice(2))),
        toPlainArray(calls.map((call) => call.eventId)),
        optional((call) => call.idempotencyKey),
        hasKeys ? toBytesArray(calls.map(hashRequest)) : "{}",
        optional((call) => (call.areFixedPointsStrict ? toText(call.points) : null)),
        optional((call) => (call.areFixedPointsStrict ? null : toText(call.points))),
        optional((call) => call.occurredAt?.toISOString() ?? null),
        optional((call) => call.metadata),
        TOTAL_POINTS_MAX,
        tooLateAt?.toISOString() ?? null,
        orders.some(({ isAtomic }) => isAtomic),
        ...(isTraced ? [toArrayLiteral(traces)] : []),
        (orders.length === 1 && orders[0]?.places) || null,
      ],
      BATCH_STATEMENT,
    );
  },
}));

/** The least calls whose wallets are looked for beforehand: for fewer, one more statement costs more than it saves. */
const CALLS_TO_FIND = 128;

/** Whether an order's wallets are being looked for. */
let isFinding = false;

/**
 * Finds where the wallets of an order stand while others are credited: this part of its work needs no ledger lock. What
 * is not found now is found under the lock. It looks for the wallets of one order at a time, so that other work keeps the
 * shared connections.
 */
export async function findPlaces(order: CreditOrder): Promise<void> {
  const { pointSystemId, calls } = order;
  if (calls.length < CALLS_TO_FIND || isFinding) return;
  isFinding = true;
  const addresses = toBytesArray(calls.map((call) => call.walletAddress.slice(2)));
  const [row] = await withDatabase((db) =>
    db.execute<{ places: string | null }>(sql`
      select find_wallet_places(${parseUuid(pointSystemId)}::uuid, ${addresses}::bytea[])::text as places`),
  ).catch(() => []);
  isFinding = false;
  order.places = row?.places ?? null;
}

const findCreditedEvents = pipelinedQuery("credits", (db) => ({
  execute: (orders: readonly CreditOrder[]) =>
    db.$client.unsafe<{ eventId: string; apiKeyId: string; pointsAdded: number }[]>(
      `select event_id as "eventId", api_key_id as "apiKeyId", points as "pointsAdded"
       from find_credited_events($1, $2, $3)`,
      [
        parseUuid(orders[0]?.pointSystemId ?? ""),
        toArrayLiteral(orders.flatMap(({ calls }) => calls.map(({ eventId }) => eventId))),
        findFirst(orders.map(({ sentAt }) => sentAt))?.toISOString() ?? null,
      ],
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
  const sentAt = getDatabaseClock().at(performance.now() - CLOCK_STEP_MS);
  for (const order of orders) order.sentAt ??= sentAt;
  try {
    if (uncertain) return await settleOrders(orders, connection, endsAtMs);
    return await credit(orders, connection, endsAtMs);
  } catch (error) {
    const cause = error instanceof Failure ? error.details.cause : error;
    // Refused as too late, it says the time: the clock may have jumped, and younger calls have time left.
    const clockMs = readRefusingClock(cause);
    if (clockMs !== null) getDatabaseClock().note(clockMs);
    const isConflict =
      clockMs !== null || isRetryable(cause) || isLocked(cause) || isUniqueViolation(cause);
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
  const databaseClock = getDatabaseClock();
  const tooLateAt = databaseClock.at(endsAtMs - ANSWER_MS);
  const [row] = await runCreditStatement({ orders, tooLateAt }, connection);
  if (!row) throw new Error("The statement that credits gave no answer");
  databaseClock.note(row.clockMs);
  const verdicts = readVerdicts(row);
  let next = 0;
  return orders.map(({ calls }) => {
    next += calls.length;
    return verdicts.slice(next - calls.length, next);
  });
}

/** Reads the database's time, in milliseconds, from a refusal for being too late; null from other errors. */
function readRefusingClock(error: unknown): number | null {
  return (isTimedOut(error) && Number(getErrorDetail(error))) || null;
}

/** Reads the verdicts, in the order of the calls. */
function readVerdicts(row: VerdictsRow): Verdict[] {
  const names = readPlainArray(row.verdicts);
  const apiKeyIds = readPlainArray(row.apiKeyIds);
  const points = readPlainArray(row.pointsAdded);
  const callsLeft = readPlainArray(row.callsLeft);
  const seconds = readPlainArray(row.roomAfterSeconds);
  const verdicts: Verdict[] = [];
  for (const [i, call] of readPlainArray(row.calls).entries()) {
    const isRefused = names[i] !== "credited" && seconds[i];
    verdicts[Number(call) - 1] = {
      verdict: names[i] as Verdict["verdict"],
      apiKeyId: apiKeyIds[i] ?? null,
      pointsAdded: Number(points[i]),
      room: callsLeft[i] ? { callsLeft: Number(callsLeft[i]), seconds: Number(seconds[i]) } : null,
      retryAfterSeconds: isRefused ? Number(seconds[i]) : null,
    };
  }
  return verdicts;
}

/**
 * Settles orders whose connection was lost: finds the calls that were credited, withdraws the event
 * ids of the others, and credits these under new ones, so that none is credited twice. Two statements
 * settle all orders of a batch, since each waits for the ledger's lock.
 */
async function settleOrders(
  orders: readonly CreditOrder[],
  connection: number,
  endsAtMs: number,
): Promise<readonly (readonly Verdict[])[]> {
  const events = await findCreditedEvents(orders, connection);
  const found = new Map(events.map((event) => [event.eventId, event]));
  for (const order of orders) {
    order.calls = order.calls.map((call) =>
      found.has(call.eventId) ? call : { ...call, eventId: createEventId() },
    );
  }
  const rest = orders.map((order) => ({
    ...order,
    places: null,
    calls: order.calls.filter(({ eventId }) => !found.has(eventId)),
  }));
  const isOpen = rest.some(({ calls }) => calls.length > 0);
  const judged = isOpen ? await credit(rest, connection, endsAtMs) : [];
  return orders.map(({ calls }, i) => {
    const others = (judged[i] ?? []).values();
    return calls.map(({ eventId }): Verdict => {
      const event = found.get(eventId);
      if (event) return { ...event, verdict: "credited", room: null, retryAfterSeconds: null };
      return others.next().value as Verdict;
    });
  });
}

/** Finds the earliest of some times; null when none is known. */
function findFirst(times: readonly (Date | null | undefined)[]): Date | null {
  const known = times.flatMap((time) => time ?? []);
  return known.reduce<Date | null>((first, time) => (first && first <= time ? first : time), null);
}

const toText = (points: number | null) => (points === null ? null : String(points));

/** Hashes what a repetition of a call must have in common with it, to hexadecimal digits. */
function hashRequest({ walletAddress, triggerKey, points }: TriggerCall): string {
  const address = Buffer.from(walletAddress.slice(2), "hex");
  const rest = Buffer.from(`${triggerKey}\0${points ?? ""}`);
  return hash("sha256", Buffer.concat([address, rest]), "hex").slice(0, 32);
}
