import { eq, sql } from "drizzle-orm";
import { getChainClient, getChainSettings } from "../../chain/rpc/chains";
import { classifyChainError } from "../../chain/rpc/problem";
import { withDatabase } from "../../db/client";
import { chainFollowers } from "../../db/schema/chain-follower";
import { type Bucket, closeBooks, listDiffering, type Page, readBuckets } from "./books";
import { findFollowerRow } from "./store";

// Compares what is stored with the contracts' books, in rounds over all trees whose books are open, and
// reads a chain again when they differ.

/** The trees of one call. */
const BUCKETS_AT_ONCE = 100;
/** The largest share of the time that comparisons take. */
const SHARE_OF_TIME = 0.1;
const RESCAN_AFTER_MS = 15_000;
const RESCAN_AFTER_MS_MAX = 3_600_000;

/** One comparison of all trees, page by page. */
interface Round {
  /** The tree that was compared last; null before the first. */
  after: Bucket | null;
  compared: number;
  readonly differing: Bucket[];
  /** Whether each airdrop is equal so far, and has ended for good. */
  readonly closable: Map<string, boolean>;
}

const beginRound = (): Round => ({ after: null, compared: 0, differing: [], closable: new Map() });

/** The state of a leader's comparisons on a chain. */
export interface CompareMemory {
  comparedAt: number;
  round: Round;
  /** The time before which trees that still differ are not read again. */
  rescansAt: number;
  rescanAfterMs: number;
}

export const createCompareMemory = (): CompareMemory => ({
  comparedAt: performance.now(),
  round: beginRound(),
  rescansAt: Number.NEGATIVE_INFINITY,
  rescanAfterMs: RESCAN_AFTER_MS,
});

/**
 * Compares the round's next trees, between two looks. Trees that differ are read again at once, and
 * ever less often while that does not help; meanwhile the round goes on.
 * @returns whether the chain is to be read again
 */
export async function compareSome(chainId: number, memory: CompareMemory): Promise<boolean> {
  const { round } = memory;
  const startedAt = performance.now();
  const page = await readBuckets(chainId, round.after, BUCKETS_AT_ONCE);
  const differing = page && (await askLastEndpoint(chainId, page));
  const endedAt = performance.now();
  memory.comparedAt = endedAt + (endedAt - startedAt) / SHARE_OF_TIME;
  if (!page || !differing) return false;
  addToRound(round, page.buckets, differing);
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

function addToRound(round: Round, buckets: readonly Bucket[], differing: readonly Bucket[]): void {
  for (const bucket of buckets) {
    const { rewardId, isSettled } = bucket;
    const isClosable = isSettled && !differing.includes(bucket);
    round.closable.set(rewardId, isClosable && (round.closable.get(rewardId) ?? true));
  }
  round.after = buckets.at(-1) ?? null;
  round.compared += buckets.length;
  round.differing.push(...differing);
}

/** Compares trees through the endpoint that answered last. Null when it cannot answer. */
async function askLastEndpoint(chainId: number, page: Page): Promise<Bucket[] | null> {
  if (page.buckets.length === 0) return [];
  const { rpcUrls } = getChainSettings(chainId);
  const { endpoint = 0 } = (await findFollowerRow(chainId)) ?? {};
  const client = getChainClient(chainId, rpcUrls[endpoint % rpcUrls.length]);
  return listDiffering(client, page).catch((error: unknown) => {
    if (classifyChainError(error) === null) throw error;
    return null;
  });
}

/**
 * Stores a round's result.
 * @param isRescan whether the chain is to be read again from the creation of the first airdrop that
 *   differs, through the next endpoint if there is one
 */
async function concludeRound(
  chainId: number,
  { compared, differing, closable }: Round,
  isRescan: boolean,
): Promise<void> {
  const { finalBlock, endpoint, rescans } = chainFollowers;
  const firstBlock = Math.min(...differing.map(({ creationBlock }) => creationBlock));
  await withDatabase((db) =>
    db
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
      .where(eq(chainFollowers.chainId, chainId)),
  );
  if (isRescan) return;
  await closeBooks(
    chainId,
    [...closable].flatMap(([rewardId, isClosable]) => (isClosable ? rewardId : [])),
  );
}
