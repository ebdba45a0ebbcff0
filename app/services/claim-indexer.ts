import { and, eq, sql } from "drizzle-orm";
import { hexToBytes } from "viem";
import { classifyChainError, createChainError } from "../chain/chain-problem";
import { getCampaignContract, getChainClient, getChainSettings } from "../chain/chains";
import { checkChain, createRangeSize, type RangeSize } from "../chain/claim-logs";
import { withDatabase } from "../db/client";
import { claimIndexers } from "../db/schema/claim-indexer";
import { followChain } from "./claim-lanes";
import { createLeadership } from "./claim-leadership";
import { type ChainContract, findContractRow, isContract } from "./claim-store";

/** Follows the claims of the campaign contracts, a chain at a time. */
export interface ClaimIndexer {
  /**
   * Does a bounded piece of work on a chain, if it is this process that does it.
   * @returns whether there is more right away
   * @throws when none of its endpoints gives an answer that holds; the next call goes on from there
   */
  readonly look: (chainId: number, signal?: AbortSignal) => Promise<boolean>;
  /** Lets another process go on. */
  readonly close: () => Promise<void>;
}

/** A chain on which something can be claimed, and one on which nothing can. */
const LOOK_EVERY_MS = 4_000;
const LOOK_EVERY_IDLE_MS = 60_000;
/** @param options.everyMs how long a chain rests between two looks; 0 in tests */
export function createClaimIndexer(options: { readonly everyMs?: number } = {}): ClaimIndexer {
  const leadership = createLeadership();
  const sizes = new Map<string, RangeSize>();
  const restsUntil = new Map<number, number>();
  const checked = new Set<string>();

  async function lookThrough(
    of: ChainContract,
    epoch: number,
    url: string,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const client = getChainClient(of.chainId, url);
    if (!checked.has(url)) await checkChain(client, of.chainId);
    checked.add(url);
    const size = sizes.get(url) ?? createRangeSize(of.chainId);
    sizes.set(url, size);
    return followChain({ ...of, epoch, client, size, signal });
  }

  return {
    async look(chainId, signal) {
      if (signal?.aborted || performance.now() < (restsUntil.get(chainId) ?? 0)) return false;
      const of = { chainId, contract: getCampaignContract(chainId) };
      const isBusy = await ensureRow(of);
      const rest = options.everyMs ?? (isBusy ? LOOK_EVERY_MS : LOOK_EVERY_IDLE_MS);
      restsUntil.set(chainId, performance.now() + rest);
      const epoch = await leadership.lead(of);
      if (epoch === null) return false;
      const hasMore = await askEach(of, epoch, (url) => lookThrough(of, epoch, url, signal));
      if (hasMore) restsUntil.delete(chainId);
      return hasMore;
    },
    close: leadership.close,
  };
}

/** @returns whether there is an airdrop that can be claimed from */
async function ensureRow(of: ChainContract): Promise<boolean> {
  const [found] = await withDatabase((db) =>
    db.execute<{ exists: boolean; isBusy: boolean }>(sql`
      select exists (
        select from claim_indexers
        where chain_id = ${of.chainId} and contract = ${hexToBytes(of.contract)}
      ) as exists, exists (
        select from airdrops where chain_id = ${of.chainId}
          and contract_address = ${hexToBytes(of.contract)} and status = 'active'
      ) as "isBusy"`),
  );
  const { exists = false, isBusy = false } = found ?? {};
  if (!exists) {
    await withDatabase((db) => db.insert(claimIndexers).values(of).onConflictDoNothing());
  }
  return isBusy;
}

/** Asks the endpoints in turn, the one that did well last first. Each does all of a look, or none. */
async function askEach(
  of: ChainContract,
  epoch: number,
  look: (url: string) => Promise<boolean>,
): Promise<boolean> {
  const { rpcUrls } = getChainSettings(of.chainId);
  const { provider = 0 } = (await findContractRow(of)) ?? {};
  let problem = createChainError("unreachable");
  for (let turn = 0; turn < rpcUrls.length; turn += 1) {
    const index = (provider + turn) % rpcUrls.length;
    const url = rpcUrls[index] ?? "";
    try {
      const hasMore = await look(url);
      await note(of, epoch, { provider: index, succeededAt: sql`now()`, failure: null });
      return hasMore;
    } catch (error) {
      const chainProblem = classifyChainError(error);
      if (chainProblem === null) throw error;
      problem = createChainError(chainProblem);
    }
  }
  await note(of, epoch, { failedAt: sql`now()`, failure: problem.chainProblem });
  throw problem;
}

type RowChanges = Parameters<ReturnType<typeof updateRow>["set"]>[0];
const updateRow = (db: Parameters<Parameters<typeof withDatabase>[0]>[0]) =>
  db.update(claimIndexers);

/** Writes down how it goes, unless another leads since. */
async function note(of: ChainContract, epoch: number, changes: RowChanges): Promise<void> {
  await withDatabase((db) =>
    updateRow(db)
      .set(changes)
      .where(and(isContract(of), eq(claimIndexers.epoch, epoch))),
  );
}
