import { sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { processState } from "../../process/state";

const settings = processState("idempotency", () => ({ keptDays: 30 }));

/** Sets the days for which the answers to idempotency keys are kept at least. */
export function setIdempotencyDays(keptDays: number): void {
  settings.keptDays = keptDays;
}

/** Makes the partitions that the next days need, and drops those that nothing needs any more. */
export async function keepIdempotencyRecords(): Promise<boolean> {
  await withDatabase((db) =>
    db.execute(sql`select keep_idempotency_records(${settings.keptDays}::int)`),
  );
  return false;
}
