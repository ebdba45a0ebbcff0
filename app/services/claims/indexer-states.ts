import { sql } from "drizzle-orm";
import { hexToBytes } from "viem";
import {
  getCampaignContract,
  getChainSettings,
  listConfiguredChainIds,
} from "../../chain/rpc/chains";
import { describeChainProblem } from "../../chain/rpc/problem";
import { withDatabase } from "../../db/client";
import { claimIndexers } from "../../db/schema/claim-indexer";
import type { Address } from "../../domain/address";
import { REWARD_CHAINS } from "../../domain/rewards/reward-chain";
import type { Administrator } from "../access/administrators";
import { isContract } from "./store";

/** The state of the claim indexer for one chain. */
export interface IndexerState {
  readonly chainId: number;
  readonly chainName: string;
  readonly contract: Address;
  /** Null before the first call. */
  readonly progress: {
    readonly headBlock: number | null;
    readonly finalBlock: number;
    /** The number of final blocks that are still to be read. */
    readonly lagBlocks: number;
    /** The time since all blocks up to the chain's head were read: the age of the data. */
    readonly lagSeconds: number;
    readonly leader: string | null;
    readonly ledSince: Date | null;
    /** The host of the endpoint that answered last, without path, query and key. */
    readonly providerHost: string;
    readonly succeededAt: Date | null;
    readonly failedAt: Date | null;
    /** The failure in words; null when the last call succeeded. */
    readonly failure: string | null;
    readonly claims: number;
    readonly claimsUndone: number;
    /** The number of claims on chain that fit no share here; at most 1,000 are counted. */
    readonly claimsWithProblem: number;
    readonly reorgs: number;
    readonly reconciledAt: Date | null;
    readonly bucketsDiffering: number;
    readonly rescans: number;
  } | null;
}

const PROBLEMS_COUNTED_MAX = 1_000;

/** Lists the indexer's state for each chain that has an endpoint. */
export function listIndexerStates(_by: Administrator): Promise<IndexerState[]> {
  return readIndexerStates();
}

/** Reads the same states for the metrics, whose token the caller has checked. */
export function readIndexerStates(): Promise<IndexerState[]> {
  return Promise.all(listConfiguredChainIds().map(readState));
}

async function readState(chainId: keyof typeof REWARD_CHAINS): Promise<IndexerState> {
  const contract = getCampaignContract(chainId);
  const of = { chainId, contract };
  const chain = { ...of, chainName: REWARD_CHAINS[chainId].name };
  const [row, problems] = await withDatabase(async (db) => {
    const [found] = await db.select().from(claimIndexers).where(isContract(of));
    const [counted] = await db.execute<{ count: number }>(sql`
      select count(*)::int as count from (
        select from claims
        where chain_id = ${chainId} and contract = ${hexToBytes(contract)} and problem is not null
        limit ${PROBLEMS_COUNTED_MAX}
      ) p`);
    return [found, counted?.count ?? 0];
  });
  if (!row) return { ...chain, progress: null };
  const { rpcUrls } = getChainSettings(chainId);
  const url = rpcUrls[row.provider % rpcUrls.length];
  const { headBlock, finalBlock, leader, ledSince, succeededAt, failedAt, failure } = row;
  const { claims, claimsUndone, reorgs, reconciledAt, bucketsDiffering, rescans } = row;
  return {
    ...chain,
    progress: {
      headBlock,
      finalBlock,
      lagBlocks: Math.max(0, (row.chainFinalBlock ?? finalBlock) - finalBlock),
      lagSeconds: countSeconds(succeededAt ?? ledSince),
      leader,
      ledSince,
      providerHost: url ? new URL(url).host : "",
      succeededAt,
      failedAt,
      failure: failure === null ? null : describeChainProblem(failure),
      claims,
      claimsUndone,
      claimsWithProblem: problems,
      reorgs,
      reconciledAt,
      bucketsDiffering,
      rescans,
    },
  };
}

const countSeconds = (since: Date | null) =>
  since ? Math.max(0, Math.round((Date.now() - since.getTime()) / 1_000)) : 0;
