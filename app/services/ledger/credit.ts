import { countConnections } from "../../db/client";
import type { Room } from "../../domain/call-limits";
import { DATABASE_DEADLINE_MS } from "../../domain/deadline";
import { Failure, type FailureCode } from "../../domain/failure";
import { createEventId } from "../../domain/ledger/event-id";
import { parseUuid } from "../../domain/uuid";
import { metrics } from "../../process/metrics";
import { noteApiKeyUse } from "../access/api-key-usage";
import type { Credential } from "../access/authorization";
import { noteWriter } from "../access/own-writes";
import { createBatcher } from "../runtime/batcher";
import {
  type CreditOrder,
  CreditOrderError,
  creditOrders,
  findPlaces,
  type TriggerCall,
  type Verdict,
} from "./credit-statement";

export type { TriggerCall } from "./credit-statement";

/** The calls of a point system that are credited in one transaction. */
const CALLS_A_BATCH = 64;
/** The time after which a batch that failed is run again, while its callers wait. */
const RETRY_AFTER_MS = 50;
/** Many times what a batch takes. Point systems whose batches take longer leave connections to the others. */
const SLOW_AFTER_MS = 250;

const runOrder = createBatcher<CreditOrder, readonly Verdict[]>({
  name: "credits",
  run: creditOrders,
  prepare: findPlaces,
  callsMax: CALLS_A_BATCH,
  size: ({ calls, isAtomic }) => (isAtomic ? CALLS_A_BATCH : calls.length),
  weight: ({ calls }) => calls.length,
  batchesMax: 2,
  // More than are credited until the deadline, and some hundred megabytes with their data.
  waitingMax: 100_000,
  waitingOfGroupMax: 40_000,
  deadlineMs: DATABASE_DEADLINE_MS,
  slowAfterMs: SLOW_AFTER_MS,
  // Repetitions and refusals wait for no disk. Nor may an order whose first statement had credited it.
  hasWritten: (orders, answers) =>
    orders.some((order, i) => {
      const verdicts = answers[i] ?? [];
      const isCredited = verdicts.some(({ verdict }) => verdict === "credited");
      return isCredited && !order.isUncertain && isKept(order, verdicts);
    }),
  // A point system's calls wait for no other one's. Text that is no id is in no key's scope, whatever it is.
  group: ({ pointSystemId }) => parseUuid(pointSystemId) ?? "",
  countConnections: () => {
    const count = countConnections("credits");
    const troubled = Math.min(2, Math.floor((count + 1) / 3));
    return { sound: count - troubled, troubled };
  },
  separate: ({ tokenHash, calls }) => {
    // So many calls are a batch of their own.
    if (calls.length >= CALLS_A_BATCH) return [];
    const token = tokenHash.toString("latin1");
    return calls.flatMap(({ idempotencyKey }) =>
      idempotencyKey === null ? [] : [`${token}${idempotencyKey}`],
    );
  },
  retryAfterMs: (error) => (error instanceof CreditOrderError ? RETRY_AFTER_MS : null),
  lateError: ({ isUncertain }, isUnderWay) =>
    new Failure(isUncertain || isUnderWay ? "outcome_unknown" : "not_credited"),
});

/** Gives an order. Later reads of its caller and its wallets see what it credited, or may have credited. */
async function giveOrder(order: CreditOrder): Promise<readonly Verdict[]> {
  const { tokenHash, pointSystemId, calls } = order;
  const note = (written: readonly TriggerCall[]) => {
    const addresses = written.map(({ walletAddress }) => walletAddress);
    if (written.length > 0) noteWriter({ tokenHash }, pointSystemId, addresses);
  };
  try {
    const verdicts = await runOrder(order);
    const isWritten = isKept(order, verdicts);
    for (const [i, { verdict }] of verdicts.entries()) {
      const isOfCaller = calls[i]?.triggerKey !== NEVER_CREDITED.triggerKey;
      if (isOfCaller && (isWritten || !WRITTEN.has(verdict)))
        metrics.credits.inc({ outcome: verdict });
    }
    note(calls.filter((_, i) => isWritten && WRITTEN.has(verdicts[i]?.verdict ?? "")));
    return verdicts;
  } catch (error) {
    note(calls);
    throw error;
  }
}

/** The verdicts after which there is an event. */
const WRITTEN: ReadonlySet<string> = new Set(["credited", "replayed"]);

/** Checks whether what an order credited is kept: an atomic one with a refusal is rolled back. */
function isKept({ isAtomic }: CreditOrder, verdicts: readonly Verdict[]): boolean {
  return !isAtomic || verdicts.every(({ verdict }) => WRITTEN.has(verdict));
}

/** The verdicts on an order's key, which each of its calls has: the key may have been lost since it was checked. */
const KEY_FAILURES: ReadonlySet<string> = new Set([
  "invalid_api_key",
  "trigger_permission_missing",
  "point_system_out_of_scope",
]);

type KeyedSystem = Pick<CreditOrder, "pointSystemId" | "tokenHash">;

const toOrder = (
  of: KeyedSystem,
  calls: readonly TriggerCall[],
  isAtomic: boolean,
): CreditOrder => ({
  ...of,
  calls: calls.map((call) => ({ ...call, eventId: createEventId() })),
  isAtomic,
  isUncertain: false,
});

export interface Credit {
  readonly apiKeyId: string;
  readonly pointsAdded: number;
  readonly isReplayed: boolean;
  /** The room within the trigger limit, where it is known. */
  readonly room: Room | null;
}

/**
 * Credits a trigger's points to a wallet. The credit is on disk when this returns. The statement
 * that credits also checks key, scope, trigger, blacklist and limit.
 * @returns the credit and its event's id; null for a repetition, whose first call made the event
 * @throws {Failure} with the documented code of the first check that fails; `not_credited` or
 *   `outcome_unknown` when the database does not answer in time
 */
export async function fireTrigger(
  { tokenHash }: Credential,
  call: TriggerCall & { readonly pointSystemId: string },
): Promise<Credit & { readonly eventId: string | null }> {
  const order = toOrder({ pointSystemId: call.pointSystemId, tokenHash }, [call], false);
  const [verdict] = (await giveOrder(order)) as [Verdict];
  if (verdict.apiKeyId !== null) noteApiKeyUse(verdict.apiKeyId);
  const credit = toCredit(verdict);
  if (credit instanceof Failure) throw credit;
  // An order that was settled has other ids than it was given with.
  return { ...credit, eventId: credit.isReplayed ? null : (order.calls[0]?.eventId ?? null) };
}

function toCredit({
  verdict,
  apiKeyId,
  pointsAdded,
  room,
  retryAfterSeconds,
}: Verdict): Credit | Failure {
  if (apiKeyId !== null && (verdict === "credited" || verdict === "replayed")) {
    return { apiKeyId, pointsAdded, isReplayed: verdict === "replayed", room };
  }
  return new Failure(verdict as FailureCode, {
    ...(retryAfterSeconds !== null && { retryAfterSeconds }),
  });
}

/**
 * Credits many calls in one point system, in their order and in one transaction. Without `isAtomic`, a
 * call that is refused does not hold up the others.
 * @param items the calls; an item that was refused before is its own verdict
 * @returns a credit or a failure for each item
 * @throws {Failure} `not_credited` or `outcome_unknown` as `fireTrigger`, and the failures of a key; with
 *   `isAtomic`, the first item's failure, with its place
 */
export async function fireTriggers(
  { tokenHash }: Credential,
  {
    pointSystemId,
    items,
    isAtomic,
  }: {
    readonly pointSystemId: string;
    readonly items: readonly (TriggerCall | Failure)[];
    readonly isAtomic: boolean;
  },
): Promise<readonly (Credit | Failure)[]> {
  const verdicts = new Map<TriggerCall, Credit | Failure>();
  /** The first call of each idempotency key that may credit. A later one repeats its verdict. */
  const firsts = new Map<string, TriggerCall>();
  const calls = items.filter((item): item is TriggerCall => {
    if (item instanceof Failure) return false;
    const { idempotencyKey } = item;
    if (idempotencyKey === null || item.unlessRepeated) return true;
    if (firsts.has(idempotencyKey)) return false;
    firsts.set(idempotencyKey, item);
    return true;
  });
  const repeat = (item: TriggerCall): Credit | Failure => {
    const first = firsts.get(item.idempotencyKey ?? "");
    if (!first || !isSameRequest(first, item)) return new Failure("idempotency_key_reused");
    const verdict = verdicts.get(first) ?? new Failure("internal_error");
    return verdict instanceof Failure ? verdict : { ...verdict, isReplayed: true };
  };
  const listVerdicts = () =>
    items.map((item) => (item instanceof Failure ? item : (verdicts.get(item) ?? repeat(item))));
  const judgeAll = async (asked: readonly TriggerCall[]) => {
    if (asked.length === 0) return;
    const judged = await giveOrder(toOrder({ pointSystemId, tokenHash }, asked, isAtomic));
    const [first] = judged as [Verdict];
    if (judged.every(({ verdict }) => KEY_FAILURES.has(verdict))) {
      throw new Failure(first.verdict as FailureCode);
    }
    for (const [i, call] of asked.entries()) {
      const credit = toCredit(judged[i] as Verdict);
      const isNone = credit instanceof Failure && credit.code === "trigger_not_found";
      verdicts.set(call, isNone && call.unlessRepeated ? new Failure(call.unlessRepeated) : credit);
    }
  };

  for (const call of calls) verdicts.set(call, NOTHING_YET);
  // An item that is refused in any case refuses an atomic call. Those before it are judged first, and none is credited.
  const sure = listVerdicts().findIndex((verdict) => verdict instanceof Failure);
  if (isAtomic && sure > 0) {
    const before = new Set(items.slice(0, sure));
    await judgeAll([...calls.filter((call) => before.has(call)), NEVER_CREDITED]);
  } else if (!isAtomic || sure < 0) {
    await judgeAll(calls);
  }
  const all = listVerdicts();
  const item = isAtomic ? all.findIndex((verdict) => verdict instanceof Failure) : -1;
  const failure = all[item];
  if (failure instanceof Failure) throw new Failure(failure.code, { ...failure.details, item });
  return all;
}

/** A call that is refused, whatever the point system has: no trigger has an empty key. */
const NEVER_CREDITED: TriggerCall = {
  triggerKey: "",
  walletAddress: `0x${"0".repeat(40)}`,
  idempotencyKey: null,
  points: null,
  areFixedPointsStrict: true,
  occurredAt: null,
  metadata: null,
};

/** Stands for the verdict of a call that is not judged yet. */
const NOTHING_YET: Credit = { apiKeyId: "", pointsAdded: 0, isReplayed: false, room: null };

const isSameRequest = (a: TriggerCall, b: TriggerCall) =>
  a.walletAddress === b.walletAddress && a.triggerKey === b.triggerKey && a.points === b.points;
