import { sql } from "drizzle-orm";
import { getChainClient, getChainSettings } from "../../chain/rpc/chains";
import { classifyChainError } from "../../chain/rpc/problem";
import { withDatabase } from "../../db/client";
import { claimIndexers } from "../../db/schema/claim-indexer";
import { type Bucket, listDiffering, type Page, readBuckets } from "./compare";
import { type ChainContract, findContractRow, isContract } from "./store";

// Reads a chain again when a comparison with the contract finds a difference.

/**
 * Stores the result of a comparison. When airdrops differ, it has the chain read again from the
 * creation of the first one, through the next endpoint if there is one.
 * @param options.isRepeated whether the chain is read again even if the only endpoint gave the same
 *   result last time
 */
export async function concludeComparison(
  of: ChainContract,
  compared: number,
  differing: readonly Bucket[],
  { isRepeated }: { isRepeated: boolean },
): Promise<void> {
  const hasOthers = getChainSettings(of.chainId).rpcUrls.length > 1;
  await withDatabase((db) =>
    db.transaction(async (tx) => {
      const [row] = await tx
        .select()
        .from(claimIndexers)
        .where(isContract(of))
        .for("no key update");
      if (!row) return;
      const isKnown = row.bucketsDiffering === differing.length && !hasOthers && !isRepeated;
      const firstBlock = Math.min(...differing.map(({ creationBlock }) => creationBlock));
      await tx
        .update(claimIndexers)
        .set({
          reconciledAt: sql`now()`,
          bucketsCompared: compared,
          bucketsDiffering: differing.length,
          ...(differing.length > 0 &&
            !isKnown && {
              finalBlock: Math.min(row.finalBlock, firstBlock - 1),
              provider: row.provider + 1,
              rescans: row.rescans + 1,
            }),
        })
        .where(isContract(of));
    }),
  );
}

/** The trees of one comparison between two calls. */
const BUCKETS_AT_ONCE = 10;
/** The largest share of the time that comparisons take. */
const SHARE_OF_TIME = 0.1;
const RESCAN_AFTER_MS = 15_000;
const REREAD_AFTER_MS_MAX = 3_600_000;

/** The state of a leader's comparisons of a contract. */
export interface CompareMemory {
  comparedAt: number;
  /** The tree that was compared last; null when all trees were compared. */
  after: Bucket | null;
  compared: number;
  /** The time before which trees that still differ are not read again. */
  rescansAt: number;
  rescanAfterMs: number;
}

export const createCompareMemory = (): CompareMemory => ({
  comparedAt: performance.now(),
  after: null,
  compared: 0,
  rescansAt: Number.NEGATIVE_INFINITY,
  rescanAfterMs: RESCAN_AFTER_MS,
});

/**
 * Compares some trees between two calls, different ones each time. Trees that differ are read again
 * at once, and ever less often while that does not help.
 * @returns whether the chain is to be read again
 */
export async function compareSome(of: ChainContract, memory: CompareMemory): Promise<boolean> {
  const startedAt = performance.now();
  const page = await readBuckets(of, memory.after, { isAll: false, limit: BUCKETS_AT_ONCE });
  const differing = page && (await askLastEndpoint(of, page));
  const endedAt = performance.now();
  memory.comparedAt = endedAt + (endedAt - startedAt) / SHARE_OF_TIME;
  if (!page || !differing) return false;
  memory.compared += page.buckets.length;
  if (differing.length > 0) {
    const { compared } = memory;
    Object.assign(memory, { after: null, compared: 0 });
    if (endedAt < memory.rescansAt) return false;
    memory.rescansAt = endedAt + memory.rescanAfterMs;
    memory.rescanAfterMs = Math.min(memory.rescanAfterMs * 2, REREAD_AFTER_MS_MAX);
    await concludeComparison(of, compared, differing, { isRepeated: true });
    return true;
  }
  const isAll = page.buckets.length < BUCKETS_AT_ONCE;
  memory.after = isAll ? null : (page.buckets.at(-1) ?? null);
  if (!isAll) return false;
  if (memory.compared > 0) await concludeComparison(of, memory.compared, [], { isRepeated: true });
  Object.assign(memory, createCompareMemory(), { comparedAt: memory.comparedAt });
  return false;
}

/** Compares trees through the endpoint that answered last. Null when it cannot answer. */
async function askLastEndpoint(of: ChainContract, page: Page): Promise<Bucket[] | null> {
  const { rpcUrls } = getChainSettings(of.chainId);
  const { provider = 0 } = (await findContractRow(of)) ?? {};
  const client = getChainClient(of.chainId, rpcUrls[provider % rpcUrls.length]);
  return listDiffering(client, of, page).catch((error: unknown) => {
    if (classifyChainError(error) === null) throw error;
    return null;
  });
}
