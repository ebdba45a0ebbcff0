import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { hashApiKeyToken } from "../../../app/domain/access/api-key";
import { createEventId } from "../../../app/domain/ledger/event-id";
import { creditOrders } from "../../../app/services/ledger/credit-statement";
import { createAddress, scene } from "../../support/scene";

test("a credit that was given up after a lost connection is refused when its statement still comes", async () => {
  const { pointSystemId, token, triggerKey } = await scene();
  const order = (...eventIds: string[]) => ({
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
