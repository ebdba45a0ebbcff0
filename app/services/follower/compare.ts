import { eq, sql } from "drizzle-orm";
import { getChainClient, getChainSettings } from "../../chain/rpc/chains";
import { classifyChainError } from "../../chain/rpc/problem";
import { toArrayLiteral } from "../../db/array-literal";
import { withDatabase } from "../../db/client";
import { chainFollowers } from "../../db/schema/chain-follower";
import { type Bucket, listDiffering, type Page, readBuckets } from "./books";

// Compares what is stored with the contracts' books, in rounds over all trees whose books are open, and
// reads a chain again when they differ.

/** The trees of one call. */
const BUCKETS_AT_ONCE = 100;
/** The largest share of the time that comparisons take. */
const SHARE_OF_TIME = 0.1;
const RESCAN_AFTER_MS = 15_000;
const RESCAN_AFTER_MS_MAX = 3_600_000;

/** Begins one comparison of all trees, page by page. */
const beginRound = () => ({
  /** The tree that was compared last; null before the first. */
  after: null as Bucket | null,
  compared: 0,
  differing: [] as Bucket[],
  /** The airdrops of the trees that were equal after the airdrop's end was final, and of all others. */
  closable: new Set<string>(),
  open: new Set<string>(),
});

/** Creates a leader's memory of its comparisons on a chain. */
export const createCompareMemory = () => ({
  comparedAt: performance.now(),
  round: beginRound(),
  /** The time before which trees that still differ are not read again. */
  rescansAt: Number.NEGATIVE_INFINITY,
  rescanAfterMs: RESCAN_AFTER_MS,
});

/**
 * Compares the round's next trees, between two looks. Trees that differ are read again at once, and
 * ever less often while that does not help; meanwhile the round goes on.
 * @returns whether the chain is to be read again
 */
export async function compareSome(
  chainId: number,
  memory: ReturnType<typeof createCompareMemory>,
): Promise<boolean> {
  const { round } = memory;
  const startedAt = performance.now();
  const page = await readBuckets(chainId, round.after, BUCKETS_AT_ONCE);
  const differing = page && (await askLastEndpoint(chainId, page));
  const endedAt = performance.now();
  memory.comparedAt = endedAt + (endedAt - startedAt) / SHARE_OF_TIME;
  if (!page || !differing) return false;
  for (const bucket of page.buckets) {
    const isClosable = bucket.isSettled && !differing.includes(bucket);
    round[isClosable ? "closable" : "open"].add(bucket.rewardId);
  }
  round.after = page.buckets.at(-1) ?? null;
  round.compared += page.buckets.length;
  round.differing.push(...differing);
  const isRescan = differing.length > 0 && endedAt >= memory.rescansAt;
  if (!isRescan && page.buckets.length === BUCKETS_AT_ONCE) return false;
  if (round.compared > 0) await concludeRound(chainId, round, isRescan);
  memory.round = beginRound();
  if (isRescan) {
    memory.rescansAt = endedAt + memory.rescanAfterMs;
    memory.rescanAfterMs = Math.min(memory.rescanAfterMs * 2, RESCAN_AFTER_MS_MAX);
  } else if (round.differing.length === 0) {
    memory.rescansAt = Number.NEGATIVE_INFINITY;
    memory.rescanAfterMs = RESCAN_AFTER_MS;
  }
  return isRescan;
}

/** Compares trees through the endpoint that answered last. Null when it cannot answer. */
async function askLastEndpoint(chainId: number, page: Page): Promise<Bucket[] | null> {
  const { rpcUrls } = getChainSettings(chainId);
  const client = getChainClient(chainId, rpcUrls[page.endpoint % rpcUrls.length]);
  return listDiffering(client, page).catch((error: unknown) => {
    if (classifyChainError(error) === null) throw error;
    return null;
  });
}

/**
 * Stores a round's result, and closes the books of ended airdrops that were equal after their last
 * log was final: nothing can be claimed from them any more.
 * @param isRescan whether the chain is to be read again from the creation of the first airdrop that
 *   differs, through the next endpoint if there is one
 */
async function concludeRound(
  chainId: number,
  { compared, differing, closable, open }: ReturnType<typeof beginRound>,
  isRescan: boolean,
): Promise<void> {
  const { finalBlock, endpoint, rescans } = chainFollowers;
  const firstBlock = Math.min(...differing.map(({ creationBlock }) => creationBlock));
  const closed = isRescan ? [] : [...closable].filter((rewardId) => !open.has(rewardId));
  await withDatabase(async (db) => {
    await db
      .update(chainFollowers)
      .set({
        reconciledAt: sql`now()`,
        bucketsCompared: compared,
        bucketsDiffering: differing.length,
        ...(isRescan && {
          finalBlock: sql`least(${finalBlock}, ${firstBlock - 1}::bigint)`,
          endpoint: sql`${endpoint} + 1`,
          rescans: sql`${rescans} + 1`,
        }),
      })
      .where(eq(chainFollowers.chainId, chainId));
    if (closed.length === 0) return;
    await db.execute(sql`
      update airdrops set books_closed_at = now()
      where chain_id = ${chainId} and status = 'ended' and books_closed_at is null
        and reward_id = any(${toArrayLiteral(closed)}::uuid[])`);
  });
}
