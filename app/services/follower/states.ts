import { eq, sql } from "drizzle-orm";
import {
  getCampaignContract,
  getChainSettings,
  listConfiguredChainIds,
} from "../../chain/rpc/chains";
import { describeChainProblem } from "../../chain/rpc/problem";
import { withDatabase } from "../../db/client";
import { chainContracts } from "../../db/schema/chain-follower";
import type { Address } from "../../domain/address";
import { REWARD_CHAINS } from "../../domain/rewards/reward-chain";
import type { Administrator } from "../access/administrators";
import { findFollowerRow } from "./store";

/** The state of following one chain. */
export interface FollowerState {
  readonly chainId: number;
  readonly chainName: string;
  /** The contracts that are followed, the one that is set now first. */
  readonly contracts: readonly Address[];
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
    readonly endpointHost: string;
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
    /** The last alarm about blocks that were final; null when there was none. */
    readonly contradiction: string | null;
    readonly contradictedAt: Date | null;
    readonly contradictions: number;
  } | null;
}

const PROBLEMS_COUNTED_MAX = 1_000;

/** Lists the follower's state for each chain that has an endpoint. */
export function listFollowerStates(_by: Administrator): Promise<FollowerState[]> {
  return readFollowerStates();
}

/** Reads the same states for the metrics, whose token the caller has checked. */
export function readFollowerStates(): Promise<FollowerState[]> {
  return Promise.all(listConfiguredChainIds().map(readState));
}

async function readState(chainId: keyof typeof REWARD_CHAINS): Promise<FollowerState> {
  const configured = getCampaignContract(chainId);
  const [row, followed, problems] = await Promise.all([
    findFollowerRow(chainId),
    withDatabase((db) =>
      db
        .select({ contract: chainContracts.contract })
        .from(chainContracts)
        .where(eq(chainContracts.chainId, chainId)),
    ),
    countProblems(chainId),
  ]);
  const others = followed.flatMap(({ contract }) => (contract === configured ? [] : contract));
  const chain = {
    chainId,
    chainName: REWARD_CHAINS[chainId].name,
    contracts: [configured, ...others],
  };
  if (!row) return { ...chain, progress: null };
  const { rpcUrls } = getChainSettings(chainId);
  const url = rpcUrls[row.endpoint % rpcUrls.length];
  const { headBlock, finalBlock, leader, ledSince, succeededAt, failedAt, failure } = row;
  const { claims, claimsUndone, reorgs, reconciledAt, bucketsDiffering, rescans } = row;
  return {
    ...chain,
    progress: {
      headBlock,
      finalBlock,
      lagBlocks: Math.max(0, (row.agreedBlock ?? finalBlock) - finalBlock),
      lagSeconds: countSeconds(succeededAt ?? ledSince),
      leader,
      ledSince,
      endpointHost: url ? new URL(url).host : "",
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
      contradiction: row.contradiction,
      contradictedAt: row.contradictedAt,
      contradictions: row.contradictions,
    },
  };
}

async function countProblems(chainId: number): Promise<number> {
  const [counted] = await withDatabase((db) =>
    db.execute<{ count: number }>(sql`
      select count(*)::int as count from (
        select from chain_logs where chain_id = ${chainId} and problem is not null
        limit ${PROBLEMS_COUNTED_MAX}
      ) p`),
  );
  return counted?.count ?? 0;
}

const countSeconds = (since: Date | null) =>
  since ? Math.max(0, Math.round((Date.now() - since.getTime()) / 1_000)) : 0;
