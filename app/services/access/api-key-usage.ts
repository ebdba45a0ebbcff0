import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { isOnCitus } from "../../db/citus/shard-query";
import { withDatabase } from "../../db/client";
import { processState } from "../../process/state";

/**
 * The most keys whose use waits to be written. Uses of further keys are dropped; a later use is
 * noted again.
 */
const KEYS_NOTED_MAX = 10_000;
const KEYS_A_STATEMENT = 1_000;

const uses = processState("uses of API keys", () => new Map<string, number>());

/** Notes that a key was used just now. The cost for a call is one entry in a map. */
export function noteApiKeyUse(apiKeyId: string, usedAtMs = Date.now()): void {
  if (uses.size >= KEYS_NOTED_MAX && !uses.has(apiKeyId)) return;
  uses.set(apiKeyId, usedAtMs);
}

/**
 * Writes the times at which keys were last used, in one statement.
 * @returns whether there is more to write
 */
export async function flushApiKeyUses(): Promise<boolean> {
  if (uses.size === 0) return false;
  const taken = [...uses].slice(0, KEYS_A_STATEMENT);
  for (const [id] of taken) uses.delete(id);
  try {
    await writeUses(taken);
  } catch (error) {
    for (const [id, usedAtMs] of taken) if (!uses.has(id)) noteApiKeyUse(id, usedAtMs);
    throw error;
  }
  return uses.size > 0 && taken.length === KEYS_A_STATEMENT;
}

async function writeUses(uses: readonly (readonly [id: string, usedAtMs: number])[]) {
  const used = sql`unnest(
    ${toArrayLiteral(uses.map(([id]) => id))}::uuid[],
    ${toArrayLiteral(uses.map(([, usedAtMs]) => new Date(usedAtMs).toISOString()))}::timestamptz[]
  ) as q(id, used_at)`;
  await withDatabase(async (db) =>
    (await isOnCitus(db))
      ? // Writers of a table that every node has take turns anyway.
        db.execute(sql`
      update api_keys k set last_used_at = greatest(k.last_used_at, q.used_at)
      from ${used} where k.id = q.id`)
      : // The rows are locked in one order, so that instances that write the same keys cannot deadlock.
        db.execute(sql`
      with used as materialized (
        select k.id, q.used_at
        from ${used}
        join api_keys k on k.id = q.id
        order by k.id
        for no key update of k
      )
      update api_keys k set last_used_at = greatest(k.last_used_at, used.used_at)
      from used where k.id = used.id`),
  );
}
