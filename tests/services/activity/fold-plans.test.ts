import postgres from "postgres";
import { expect, test } from "vitest";
import { createAddress, scene } from "../../support/scene";
import { database, other } from "../../support/test-database";

const PIECE_SIZE = 100;
const CALL = 1_000;
const CALLS = 10;
/** The events that one call counts, fewer than there are. */
const COUNTED = 500;

/** Reads the number of a table's rows that the connection has read so far, by an index. */
async function countFetched(tx: postgres.TransactionSql, table: string): Promise<number> {
  const [row] = await tx<{ rows: number }[]>`
    select idx_tup_fetch::int as rows from pg_stat_xact_user_tables where relname = ${table}`;
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
    const [events, marks] = await counting.begin(async (tx) => {
      for (let n = 0; n < CALLS * CALL; n += COUNTED) {
        const [row] =
          await tx`select fold_activity(${pointSystemId}, ${COUNTED}, ${PIECE_SIZE}) as events`;
        expect(row).toEqual({ events: COUNTED });
      }
      return [await countFetched(tx, "point_events"), await countFetched(tx, "activity_marks")];
    });
    // Each as a new one, and once or twice with the piece that it belongs to.
    expect(events).toBeLessThanOrEqual(3 * CALLS * CALL);
    // The newest piece, when it is found, grows and is split.
    expect(marks).toBeLessThanOrEqual((5 * CALLS * CALL) / COUNTED);
  } finally {
    await counting.end({ timeout: 1 });
  }
});
