import { and, eq, sql } from "drizzle-orm";
import { hexToBytes } from "viem";
import {
  type ChainHead,
  createRangeSize,
  type RangeSize,
  readHead,
} from "../../chain/campaigns/claim-logs";
import { checkChain } from "../../chain/campaigns/events";
import { getCampaignContract, getChainClient } from "../../chain/rpc/chains";
import { ChainError, type ChainProblem, classifyChainError } from "../../chain/rpc/problem";
import { withDatabase } from "../../db/client";
import { claimIndexers } from "../../db/schema/claim-indexer";
import { listEndpoints } from "./endpoints";
import { countLookFailure } from "./failures";
import { type FollowMemory, followChain } from "./follow-chain";
import { createLeadership, FencedError } from "./leadership";
import { type CompareMemory, compareSome, createCompareMemory } from "./rescan";
import { type ChainContract, isContract } from "./store";

/** An indexer that follows the claims of the campaign contracts, one chain at a time. */
export interface ClaimIndexer {
  /**
   * Does a bounded piece of work on a chain, if this process leads it.
   * @returns whether there is more right away
   * @throws {Error} when no endpoint gives a consistent answer; the next call continues from the
   *   same place
   */
  readonly look: (chainId: number, signal?: AbortSignal) => Promise<boolean>;
  /** Releases the leadership, so that another process continues. */
  readonly close: () => Promise<void>;
}

/** The intervals for a chain with claimable airdrops and for one without. */
const LOOK_EVERY_MS = 4_000;
const LOOK_EVERY_IDLE_MS = 60_000;
const COMPARE_EVERY_MS = 20_000;
/**
 * The interval of the leader's heartbeat: much shorter than the time after which a silent leader is
 * replaced.
 */
const SIGN_OF_LIFE_EVERY_MS = 4_000;

interface Memory extends FollowMemory, CompareMemory {
  restsUntil: number;
  lookedAt: number;
}

/**
 * Creates a claim indexer.
 * @param options.everyMs the pause of a chain between two calls; 0 in tests
 * @param options.compareEveryMs the pause between two comparisons with the contract
 */
export function createClaimIndexer(
  options: { readonly everyMs?: number; readonly compareEveryMs?: number } = {},
): ClaimIndexer {
  const { everyMs = LOOK_EVERY_MS, compareEveryMs = COMPARE_EVERY_MS } = options;
  const leadership = createLeadership();
  const sizes = new Map<string, RangeSize>();
  const memories = new Map<number, Memory>();

  function recall(chainId: number): Memory {
    const memory = memories.get(chainId) ?? {
      ...createCompareMemory(),
      restsUntil: 0,
      lookedAt: Number.NEGATIVE_INFINITY,
      readAt: Number.NEGATIVE_INFINITY,
      head: null,
      adoptsAt: Number.NEGATIVE_INFINITY,
      search: null,
    };
    memories.set(chainId, memory);
    return memory;
  }

  async function lookThrough(
    of: ChainContract,
    epoch: number,
    url: string,
    head: ChainHead | null,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const client = getChainClient(of.chainId, url);
    await checkChain(client, of.chainId);
    const size = sizes.get(url) ?? createRangeSize(of.chainId);
    sizes.set(url, size);
    const memory = recall(of.chainId);
    const newest = head ?? (await readHead(client, of.chainId));
    return followChain({ ...of, epoch, client, size, memory, signal }, newest);
  }

  async function lookAsLeader(of: ChainContract, epoch: number, signal: AbortSignal | undefined) {
    const memory = recall(of.chainId);
    const hasMore = await askEach(of, epoch, (url, head) =>
      lookThrough(of, epoch, url, head, signal),
    );
    if (hasMore || signal?.aborted || performance.now() < memory.comparedAt + compareEveryMs) {
      return hasMore;
    }
    memory.comparedAt = performance.now();
    return compareSome(of, memory);
  }

  return {
    async look(chainId, signal) {
      const memory = recall(chainId);
      if (signal?.aborted || performance.now() < memory.restsUntil) return false;
      memory.restsUntil = performance.now() + everyMs;
      const of = { chainId, contract: getCampaignContract(chainId) };
      const isBusy = await ensureRow(of);
      const epoch = await leadership.lead(of);
      const isIdle = !isBusy && everyMs > 0 && isRecent(memory.lookedAt, LOOK_EVERY_IDLE_MS);
      if (epoch === null || isIdle) return false;
      // The work may take long, so the heartbeat has a timer. A paused process sends none.
      const timer = setInterval(() => {
        leadership.stay(of, epoch).catch(() => {});
      }, SIGN_OF_LIFE_EVERY_MS);
      try {
        const hasMore = await lookAsLeader(of, epoch, signal);
        memory.lookedAt = performance.now();
        if (hasMore) memory.restsUntil = 0;
        return hasMore;
      } catch (error) {
        // Another process leads now, so this one's writes are refused.
        if (error instanceof FencedError) return false;
        throw error;
      } finally {
        clearInterval(timer);
      }
    },
    close: leadership.close,
  };
}

const isRecent = (at: number, withinMs: number) => performance.now() < at + withinMs;

/**
 * Creates the contract's row if it is missing.
 * @returns whether there is an airdrop that can be claimed from, or could be a short time ago
 */
async function ensureRow(of: ChainContract): Promise<boolean> {
  const [found] = await withDatabase((db) =>
    db.execute<{ exists: boolean; isBusy: boolean }>(sql`
      select exists (
        select from claim_indexers
        where chain_id = ${of.chainId} and contract = ${hexToBytes(of.contract)}
      ) as exists, exists (
        select from airdrops a
        join rewards r on r.point_system_id = a.point_system_id and r.id = a.reward_id
        where a.chain_id = ${of.chainId} and a.contract_address = ${hexToBytes(of.contract)}
          and (a.status = 'active' or a.status = 'ended'
            and greatest(a.cancelled_onchain_at, r.claim_deadline) > now() - interval '1 hour')
      ) as "isBusy"`),
  );
  const { exists = false, isBusy = false } = found ?? {};
  if (!exists) {
    await withDatabase((db) => db.insert(claimIndexers).values(of).onConflictDoNothing());
  }
  return isBusy;
}

/** Tries the endpoints in order. One endpoint does all the work of a call, or none of it. */
async function askEach(
  of: ChainContract,
  epoch: number,
  look: (url: string, head: ChainHead | null) => Promise<boolean>,
): Promise<boolean> {
  let problem: ChainProblem = "unreachable";
  for (const { url, index, head } of await listEndpoints(of)) {
    try {
      const hasMore = await look(url, head);
      await note(of, epoch, { provider: index, succeededAt: sql`now()`, failure: null });
      return hasMore;
    } catch (error) {
      const chainProblem = classifyChainError(error);
      if (chainProblem === null) throw error;
      countLookFailure(of.chainId, chainProblem);
      problem = chainProblem;
    }
  }
  await note(of, epoch, { failedAt: sql`now()`, failure: problem });
  throw new ChainError(problem);
}

type RowChanges = Parameters<ReturnType<typeof updateRow>["set"]>[0];
const updateRow = (db: Parameters<Parameters<typeof withDatabase>[0]>[0]) =>
  db.update(claimIndexers);

/** Stores the indexer's progress, unless another process leads now. */
async function note(of: ChainContract, epoch: number, changes: RowChanges): Promise<void> {
  await withDatabase((db) =>
    updateRow(db)
      .set(changes)
      .where(and(isContract(of), eq(claimIndexers.epoch, epoch))),
  );
}
