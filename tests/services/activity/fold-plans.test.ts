import postgres from "postgres";
import { expect, test } from "vitest";
import { createAddress, scene } from "../../support/scene";
import { database, other } from "../../support/test-database";

const PIECE_SIZE = 100;
const CALL = 1_000;
const CALLS = 10;

/** Reads the number of events that the connection has read by an index, and not reported yet. */
async function countFetched(tx: postgres.TransactionSql): Promise<number> {
  const [row] = await tx<{ rows: number }[]>`
    select idx_tup_fetch::int as rows from pg_stat_xact_user_tables where relname = 'point_events'`;
  return row?.rows ?? 0;
}

test("activity is counted at the cost of what is new, before PostgreSQL has statistics of events", async () => {
  await other`vacuum analyze point_events`;
  const { pointSystemId, fireBatch, triggerKey } = await scene();
  for (let n = 0; n < CALLS; n += 1) {
    const items = Array.from({ length: CALL }, () => ({
      triggerKey,
      walletAddress: createAddress(),
    }));
    expect((await fireBatch({ items })).body).toMatchObject({ credited: CALL });
  }
  const [known] = await other`
    select reltuples::int as events from pg_class where relname = 'point_events'`;
  expect(known).toEqual({ events: 0 });
  // One connection keeps the plan of its first call.
  const counting = postgres({ ...database, max: 1 });
  const count = (run: postgres.ISql, events: number) =>
    run`select fold_activity(${pointSystemId}, ${events}, ${PIECE_SIZE}) as events`;
  try {
    await count(counting, CALLS * CALL - 2 * PIECE_SIZE);
    const readRows = await counting.begin(async (tx) => {
      const before = await countFetched(tx);
      expect(await count(tx, CALL)).toEqual([{ events: 2 * PIECE_SIZE }]);
      return (await countFetched(tx)) - before;
    });
    // The new events, and the newest piece with them.
    expect(readRows).toBeLessThanOrEqual(2 * PIECE_SIZE + 3 * PIECE_SIZE);
  } finally {
    await counting.end({ timeout: 1 });
  }
});
