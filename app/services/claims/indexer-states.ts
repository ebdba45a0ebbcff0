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

/** How the claims of one chain are followed. */
export interface IndexerState {
  readonly chainId: number;
  readonly chainName: string;
  readonly contract: Address;
  /** Null before the first look. */
  readonly progress: {
    readonly headBlock: number | null;
    readonly finalBlock: number;
    /** Final blocks that are still to be read. */
    readonly lagBlocks: number;
    /** Since all up to the head was read that the chain had: how old what is known of it is. */
    readonly lagSeconds: number;
    readonly leader: string | null;
    readonly ledSince: Date | null;
    /** The endpoint that answered last: without path, query and key. */
    readonly providerHost: string;
    readonly succeededAt: Date | null;
    readonly failedAt: Date | null;
    /** In words; null when the last look went well. */
    readonly failure: string | null;
    readonly claims: number;
    readonly claimsUndone: number;
    /** Claims on chain that fit no share here. At most 1,000 are counted. */
    readonly claimsWithProblem: number;
    readonly reorgs: number;
    readonly reconciledAt: Date | null;
    readonly bucketsDiffering: number;
    readonly rescans: number;
  } | null;
}

const PROBLEMS_COUNTED_MAX = 1_000;

/** The chains that have an endpoint, and how each is followed. */
export function listIndexerStates(_by: Administrator): Promise<IndexerState[]> {
  return readIndexerStates();
}

/** The same for whoever holds the token of the metrics. */
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
