import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { checkChain } from "../../chain/campaigns/events";
import { createRangeSize, readHead } from "../../chain/campaigns/logs";
import { getChainClient } from "../../chain/rpc/chains";
import { ChainError, type ChainProblem, classifyChainError } from "../../chain/rpc/problem";
import { withDatabase } from "../../db/client";
import { metrics } from "../../process/metrics";
import { compareSome } from "./compare";
import { createMemory, type Look, listEndpoints } from "./endpoints";
import { giveUpLeases, keepLease, type Lease, withLease, writeAsLeader } from "./lease";
import { readChain } from "./look";
import { ensureFollower } from "./store";

/** The intervals for a chain with campaigns under way and for one without. */
const LOOK_EVERY_MS = 4_000;
const LOOK_EVERY_IDLE_MS = 60_000;
const COMPARE_EVERY_MS = 20_000;

const createName = () => randomBytes(4).toString("hex");

/**
 * Creates a follower of the chains: each look brings what is stored of one up to its head.
 * @param options.everyMs the pause of a chain between two looks; 0 in tests
 * @param options.compareEveryMs the pause between two comparisons with the contracts' books
 */
export function createChainFollower(
  options: { readonly everyMs?: number; readonly compareEveryMs?: number } = {},
) {
  const { everyMs = LOOK_EVERY_MS, compareEveryMs = COMPARE_EVERY_MS } = options;
  const name = createName();
  const memories = new Map<number, Look["memory"]>();

  return {
    /**
     * Does a bounded piece of work on a chain, if this process may.
     * @returns whether there is more right away
     * @throws {Error} when no endpoint gives a consistent answer; the next call continues from the
     *   same place
     */
    async look(chainId: number, signal?: AbortSignal): Promise<boolean> {
      const memory = memories.get(chainId) ?? createMemory();
      memories.set(chainId, memory);
      if (signal?.aborted || performance.now() < memory.restsUntil) return false;
      memory.restsUntil = performance.now() + everyMs;
      const isBusy = await ensureFollower(chainId);
      const isIdle = !isBusy && performance.now() < memory.lookedAt + LOOK_EVERY_IDLE_MS;
      if (isIdle && everyMs > 0) return false;
      const hasMore = await withLease(chainId, name, false, async (lease) => {
        const isUnread = await askEach(lease, memory, null, signal);
        const isCompared = performance.now() < memory.compare.comparedAt + compareEveryMs;
        if (isUnread || signal?.aborted || isCompared) return isUnread;
        memory.compare.comparedAt = performance.now();
        return compareSome(chainId, memory.compare);
      });
      if (hasMore !== null) memory.lookedAt = performance.now();
      if (hasMore) memory.restsUntil = 0;
      return hasMore ?? false;
    },
    /** Gives up the leases, so that another process continues. */
    close: () => giveUpLeases(name),
  };
}

export type ChainFollower = ReturnType<typeof createChainFollower>;

/** Tries the endpoints in order. One endpoint does all the work of a look, or none of it. */
async function askEach(
  lease: Lease,
  memory: Look["memory"],
  asked: Look["asked"],
  signal?: AbortSignal,
): Promise<boolean> {
  const { chainId } = lease;
  let problem: ChainProblem = "unreachable";
  for (const { url, index } of await listEndpoints(chainId)) {
    try {
      const client = keepLease(getChainClient(chainId, url), lease);
      await checkChain(client, chainId);
      const size = memory.sizes.get(url) ?? createRangeSize(chainId);
      memory.sizes.set(url, size);
      const head = await readHead(client, chainId);
      const hasMore = await readChain({ lease, url, client, size, memory, signal, asked }, head);
      await note(lease, { endpoint: index, succeededAt: sql`now()`, failure: null });
      return hasMore;
    } catch (error) {
      const chainProblem = classifyChainError(error);
      if (chainProblem === null) throw error;
      metrics.endpointFailures.inc({ chain: chainId, problem: chainProblem });
      problem = chainProblem;
    }
  }
  await note(lease, { failedAt: sql`now()`, failure: problem });
  throw new ChainError(problem);
}

const note = (lease: Lease, changes: Parameters<typeof writeAsLeader>[2]) =>
  withDatabase((db) => writeAsLeader(db, lease, changes));

const ASKS_EVERY_MS = 100;

/**
 * Has a chain looked at now, for somebody who waits for a block. The look is the follower's own:
 * what it stores, it reads itself.
 * @param isDone answers whether what is waited for is stored
 * @returns whether it is stored in time
 */
export async function lookNow(
  chainId: number,
  asked: NonNullable<Look["asked"]>,
  isDone: () => Promise<boolean>,
  waitsMs: number,
): Promise<boolean> {
  const givesUpAt = performance.now() + waitsMs;
  const name = createName();
  const memory = createMemory();
  await ensureFollower(chainId);
  while (!(await isDone())) {
    if (performance.now() > givesUpAt) return false;
    const hasLooked = await withLease(chainId, name, true, async (lease) => {
      while ((await askEach(lease, memory, asked)) && performance.now() < givesUpAt);
      return true;
    }).catch((error: unknown) => {
      if (classifyChainError(error) === null) throw error;
      return true;
    });
    if (hasLooked) return isDone();
    await sleep(ASKS_EVERY_MS);
  }
  return true;
}
