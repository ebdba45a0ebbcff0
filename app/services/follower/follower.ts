import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { checkChain } from "../../chain/campaigns/events";
import { createRangeSize, type RangeSize, readHead } from "../../chain/campaigns/logs";
import { getChainClient } from "../../chain/rpc/chains";
import { ChainError, type ChainProblem, classifyChainError } from "../../chain/rpc/problem";
import { withDatabase } from "../../db/client";
import { type CompareMemory, compareSome, createCompareMemory } from "./compare";
import { listEndpoints } from "./endpoints";
import { countLookFailure } from "./failures";
import { endLook, FencedError, keepLease, type Lease, takeLease, writeAsLeader } from "./lease";
import { type Look, type LookMemory, readChain } from "./look";
import { ensureFollower } from "./store";

/** A follower of the chains: each look brings what is stored of one up to its head. */
export interface ChainFollower {
  /**
   * Does a bounded piece of work on a chain, if this process may.
   * @returns whether there is more right away
   * @throws {Error} when no endpoint gives a consistent answer; the next call continues from the
   *   same place
   */
  readonly look: (chainId: number, signal?: AbortSignal) => Promise<boolean>;
  /** Gives up the leases, so that another process continues. */
  readonly close: () => Promise<void>;
}

/** The intervals for a chain with campaigns under way and for one without. */
const LOOK_EVERY_MS = 4_000;
const LOOK_EVERY_IDLE_MS = 60_000;
const COMPARE_EVERY_MS = 20_000;

interface Memory extends LookMemory, CompareMemory {
  restsUntil: number;
  lookedAt: number;
  lease: Lease | null;
  readonly sizes: Map<string, RangeSize>;
}

const createMemory = (): Memory => ({
  ...createCompareMemory(),
  restsUntil: 0,
  lookedAt: Number.NEGATIVE_INFINITY,
  readAt: Number.NEGATIVE_INFINITY,
  witnessRests: new Map(),
  fromFiles: "",
  isAlarmed: false,
  lease: null,
  sizes: new Map(),
});

/**
 * Creates a follower.
 * @param options.everyMs the pause of a chain between two looks; 0 in tests
 * @param options.compareEveryMs the pause between two comparisons with the contracts' books
 */
export function createChainFollower(
  options: { readonly everyMs?: number; readonly compareEveryMs?: number } = {},
): ChainFollower {
  const { everyMs = LOOK_EVERY_MS, compareEveryMs = COMPARE_EVERY_MS } = options;
  const name = randomBytes(4).toString("hex");
  const memories = new Map<number, Memory>();
  const recall = (chainId: number): Memory => {
    const memory = memories.get(chainId) ?? createMemory();
    memories.set(chainId, memory);
    return memory;
  };

  async function lookAndCompare(lease: Lease, memory: Memory, signal: AbortSignal | undefined) {
    const hasMore = await askEach(lease, memory, null, signal);
    if (memory.isAlarmed) memory.comparedAt = Number.NEGATIVE_INFINITY;
    if (hasMore || signal?.aborted || performance.now() < memory.comparedAt + compareEveryMs) {
      return hasMore;
    }
    memory.isAlarmed = false;
    memory.comparedAt = performance.now();
    return compareSome(lease.chainId, memory);
  }

  return {
    async look(chainId, signal) {
      const memory = recall(chainId);
      if (signal?.aborted || performance.now() < memory.restsUntil) return false;
      memory.restsUntil = performance.now() + everyMs;
      const isBusy = await ensureFollower(chainId);
      const isIdle = !isBusy && performance.now() < memory.lookedAt + LOOK_EVERY_IDLE_MS;
      if (isIdle && everyMs > 0) return false;
      const lease = await takeLease(chainId, name, false);
      if (!lease) return false;
      memory.lease = lease;
      try {
        const hasMore = await lookAndCompare(lease, memory, signal);
        memory.lookedAt = performance.now();
        if (hasMore) memory.restsUntil = 0;
        return hasMore;
      } catch (error) {
        // Another process follows the chain now, so this one's writes are refused.
        if (error instanceof FencedError) return false;
        throw error;
      } finally {
        await endLook(lease, false);
      }
    },
    async close() {
      for (const { lease } of memories.values()) if (lease) await endLook(lease, true);
    },
  };
}

/** Tries the endpoints in order. One endpoint does all the work of a look, or none of it. */
async function askEach(
  lease: Lease,
  memory: LookMemory & { readonly sizes: Map<string, RangeSize> },
  asked: Look["asked"],
  signal?: AbortSignal,
): Promise<boolean> {
  const { chainId } = lease;
  let problem: ChainProblem = "unreachable";
  for (const { url, index, head } of await listEndpoints(chainId)) {
    try {
      const client = keepLease(getChainClient(chainId, url), lease);
      await checkChain(client, chainId);
      const size = memory.sizes.get(url) ?? createRangeSize(chainId);
      memory.sizes.set(url, size);
      const newest = head ?? (await readHead(client, chainId));
      const hasMore = await readChain({ lease, url, client, size, memory, signal, asked }, newest);
      await note(lease, { endpoint: index, succeededAt: sql`now()`, failure: null });
      return hasMore;
    } catch (error) {
      const chainProblem = classifyChainError(error);
      if (chainProblem === null) throw error;
      countLookFailure(chainId, chainProblem);
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
 * @param asked the block; `isFirst` has the contract that is set now read from there on
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
  const name = randomBytes(4).toString("hex");
  let hasLooked = false;
  await ensureFollower(chainId);
  while (!(await isDone())) {
    if (performance.now() > givesUpAt) return false;
    const lease = hasLooked ? null : await takeLease(chainId, name, true);
    if (!lease) {
      if (hasLooked) return false;
      await sleep(ASKS_EVERY_MS);
      continue;
    }
    try {
      while (await askEach(lease, createMemory(), asked)) {
        if (performance.now() > givesUpAt) break;
      }
      hasLooked = true;
    } catch (error) {
      if (classifyChainError(error) === null && !(error instanceof FencedError)) throw error;
      hasLooked = !(error instanceof FencedError);
    } finally {
      await endLook(lease, true);
    }
  }
  return true;
}
