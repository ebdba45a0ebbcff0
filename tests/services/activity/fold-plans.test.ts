import postgres from "postgres";
import { expect, test } from "vitest";
import { createAddress, scene } from "../../support/scene";
import { database, other } from "../../support/test-database";

const PIECE_SIZE = 100;
const CALL = 1_000;
const CALLS = 10;
/** The events that one call counts, fewer than there are. */
const COUNTED = 500;

/** Reads the number of events that the connection has read by an index, so far. */
async function countFetched(tx: postgres.TransactionSql): Promise<number> {
  const [row] = await tx<{ rows: number }[]>`
    select idx_tup_fetch::int as rows from pg_stat_xact_user_tables where relname = 'point_events'`;
  return row?.rows ?? 0;
}

test("each event is read twice or three times to count it into the activity, however many wait, before PostgreSQL has statistics of events", async () => {
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
  try {
    const readRows = await counting.begin(async (tx) => {
      for (let n = 0; n < CALLS * CALL; n += COUNTED) {
        const [row] =
          await tx`select fold_activity(${pointSystemId}, ${COUNTED}, ${PIECE_SIZE}) as events`;
        expect(row).toEqual({ events: COUNTED });
      }
      return countFetched(tx);
    });
    // Each as a new one, and once or twice with the piece that it belongs to.
    expect(readRows).toBeLessThanOrEqual(3 * CALLS * CALL);
  } finally {
    await counting.end({ timeout: 1 });
  }
});
