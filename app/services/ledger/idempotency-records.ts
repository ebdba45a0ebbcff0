import { sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { processState } from "../../process/state";

const settings = processState("idempotency", () => ({ keptDays: 30 }));

/** Sets the days for which the answers to idempotency keys are kept at least. */
export function setIdempotencyDays(keptDays: number): void {
  settings.keptDays = keptDays;
}

/** Drops the records that are no longer needed, whenever a turn of them is over. */
export async function turnIdempotencyRecords(): Promise<boolean> {
  await withDatabase((db) =>
    // In a transaction: on Citus, a statement by itself is committed on one shard before the next one.
    db.transaction((tx) =>
      tx.execute(sql`select turn_idempotency_records(${settings.keptDays}::int)`),
    ),
  );
  return false;
}
