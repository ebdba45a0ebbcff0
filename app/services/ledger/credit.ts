import { toArrayLiteral } from "../../db/array-literal";
import { pipelinedQuery } from "../../db/client";
import { isRetryable, isUniqueViolation } from "../../db/errors";
import type { Address } from "../../domain/address";
import { DATABASE_DEADLINE_MS } from "../../domain/deadline";
import { Failure, type FailureCode } from "../../domain/failure";
import { createEventId } from "../../domain/ledger/event-id";
import { TOTAL_POINTS_MAX } from "../../domain/ledger/points";
import { isTriggerKey } from "../../domain/point-systems/trigger-key";
import { parseUuid } from "../../domain/uuid";
import { noteApiKeyUse } from "../access/api-key-usage";
import type { Credential } from "../access/authorization";
import { createBatcher } from "../runtime/batcher";

export interface TriggerCall {
  readonly triggerKey: string;
  readonly walletAddress: Address;
  /** The id as the client sent it; text that is not a UUID is in no key's scope. */
  readonly pointSystemId: string;
  /** A later call with the same key repeats the first answer and credits nothing. */
  readonly idempotencyKey: string | null;
}

export interface Credit {
  readonly apiKeyId: string;
  readonly pointsAdded: number;
  readonly isReplayed: boolean;
}

interface PendingCredit extends TriggerCall {
  readonly tokenHash: Buffer;
  readonly eventId: string;
}

interface Verdict {
  call: number;
  verdict: FailureCode | "credited" | "replayed";
  apiKeyId: string | null;
  pointsAdded: number;
  retryAfterSeconds: number;
}

/** The most attempts for a batch that conflicts with another instance's. */
const BATCH_ATTEMPTS_MAX = 4;

const runCreditStatement = pipelinedQuery("credits", (db) => ({
  execute: (calls: readonly PendingCredit[]) =>
    db.$client.unsafe<Verdict[]>(
      `select call, verdict, api_key_id as "apiKeyId", points_added as "pointsAdded",
         retry_after_seconds as "retryAfterSeconds"
       from credit_points($1, $2, $3, $4, $5, $6, $7)`,
      [
        toArrayLiteral(calls.map((c) => c.tokenHash)),
        toArrayLiteral(calls.map((c) => parseUuid(c.pointSystemId))),
        toArrayLiteral(calls.map((c) => (isTriggerKey(c.triggerKey) ? c.triggerKey : null))),
        toArrayLiteral(calls.map((c) => Buffer.from(c.walletAddress.slice(2), "hex"))),
        toArrayLiteral(calls.map((c) => c.eventId)),
        toArrayLiteral(calls.map((c) => c.idempotencyKey)),
        TOTAL_POINTS_MAX,
      ],
      { prepare: true },
    ),
}));

/** Credits a batch in one transaction, and returns the verdicts in the order of the calls. */
export async function creditBatch(calls: readonly PendingCredit[]): Promise<readonly Verdict[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const verdicts: Verdict[] = [];
      for (const verdict of await runCreditStatement(calls)) verdicts[verdict.call - 1] = verdict;
      return verdicts;
    } catch (error) {
      // Another instance has just used an idempotency key in another point system. The whole batch
      // was rolled back, and its next attempt finds that event.
      const isConflict = isRetryable(error) || isUniqueViolation(error);
      if (!isConflict || attempt === BATCH_ATTEMPTS_MAX) throw error;
    }
  }
}

const credit = createBatcher<PendingCredit, Verdict>({
  run: creditBatch,
  callsMax: 64,
  batchesMax: 2,
  waitingMax: 10_000,
  deadlineMs: DATABASE_DEADLINE_MS,
  separate: (call) =>
    call.idempotencyKey && `${call.tokenHash.toString("latin1")}${call.idempotencyKey}`,
});

/**
 * Credits a trigger's points to a wallet. The credit is on disk when this returns. The statement
 * that credits also checks key, scope, trigger, blacklist and limit.
 * @throws {Failure} with the documented code of the first check that fails
 */
export async function fireTrigger(credential: Credential, call: TriggerCall): Promise<Credit> {
  const { verdict, apiKeyId, pointsAdded, retryAfterSeconds } = await credit({
    ...call,
    tokenHash: credential.tokenHash,
    eventId: createEventId(),
  });
  if (apiKeyId !== null) noteApiKeyUse(apiKeyId);
  if (apiKeyId !== null && (verdict === "credited" || verdict === "replayed")) {
    return { apiKeyId, pointsAdded, isReplayed: verdict === "replayed" };
  }
  throw new Failure(verdict as FailureCode, {
    ...(verdict === "rate_limit_exceeded" && { retryAfterSeconds }),
  });
}
