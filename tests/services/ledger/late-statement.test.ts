import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { hashApiKeyToken } from "../../../app/domain/access/api-key";
import { Failure } from "../../../app/domain/failure";
import { createEventId } from "../../../app/domain/ledger/event-id";
import {
  type CreditOrder,
  CreditOrderError,
  creditOrders,
  type Verdict,
} from "../../../app/services/ledger/credit-statement";
import { createBatcher } from "../../../app/services/runtime/batcher";
import { createAddress, scene } from "../../support/scene";
import { other } from "../../support/test-database";

/** Prepares a point system and orders for it: a call for each event id. */
async function startLedger() {
  const { pointSystemId, token, triggerKey, pointsOf } = await scene();
  const order = (...eventIds: string[]): CreditOrder => ({
    pointSystemId,
    tokenHash: hashApiKeyToken(token),
    calls: eventIds.map((eventId) => ({
      eventId,
      triggerKey,
      walletAddress: createAddress(),
      idempotencyKey: null,
      points: null,
      areFixedPointsStrict: false,
      occurredAt: null,
      metadata: null,
    })),
    isAtomic: false,
    isUncertain: false,
  });
  return { pointSystemId, order, pointsOf };
}

test("a credit that was given up after a lost connection is refused when its statement still comes", async () => {
  const { pointSystemId, order } = await startLedger();
  const give = (...eventIds: string[]) =>
    creditOrders([order(...eventIds)], {
      connection: 0,
      endsAtMs: performance.now() + 4_000,
    });
  const settle = (...eventIds: string[]) =>
    withDatabase((db) =>
      db.execute<{ event_id: string }>(sql`
        select event_id from find_credited_events(${pointSystemId}, ${`{${eventIds}}`}::uuid[])`),
    );
  const [there, givenUp, beside] = [createEventId(), createEventId(), createEventId()];
  await give(there);
  expect(await settle(there, givenUp)).toEqual([{ event_id: there }]);
  await expect(give(givenUp, beside)).rejects.toMatchObject({ code: "not_credited" });
  expect(await settle(givenUp, beside)).toEqual([]);
  await give(createEventId());
  const [stored] = await withDatabase((db) =>
    db.execute(sql`
      select count(*)::int as events from point_events where point_system_id = ${pointSystemId}`),
  );
  expect(stored).toEqual({ events: 2 });
});

test("a call whose time ends while its batch waits for the ledger is refused alone: those beside it are credited", async () => {
  const { pointSystemId, order, pointsOf } = await startLedger();
  // As app/services/ledger/credit.ts has it, with less time for a call.
  const deadlineMs = 2_100;
  const run = createBatcher<CreditOrder, readonly Verdict[]>({
    run: creditOrders,
    callsMax: 64,
    waitingMax: 64,
    deadlineMs,
    retryAfterMs: (error) => (error instanceof CreditOrderError ? 50 : null),
    lateError: ({ isUncertain }, isUnderWay) =>
      new Failure(isUncertain || isUnderWay ? "outcome_unknown" : "not_credited"),
  });
  // The process learns the clock from the first answer.
  await run(order(createEventId()));
  const [old, fresh] = [order(createEventId()), order(createEventId())];
  const answers = await other.begin(async (tx) => {
    await tx`select lock_ledger(${pointSystemId})`;
    const startedAt = performance.now();
    const ofOld = run(old).catch((error) => error.code);
    await sleep(1_200);
    const ofFresh = run(fresh).catch((error) => error.code);
    // Each attempt waits 500 ms for the lock. The last one that the old call joins has it too late for that call.
    await sleep(startedAt + deadlineMs - 150 - performance.now());
    return { ofOld, ofFresh };
  });
  expect(await answers.ofOld).toBe("not_credited");
  expect(await answers.ofFresh).toMatchObject([{ verdict: "credited" }]);
  const points = [old, fresh].map(({ calls }) => pointsOf(calls[0]?.walletAddress ?? "0x"));
  expect(await Promise.all(points)).toEqual([0, 10]);
});
