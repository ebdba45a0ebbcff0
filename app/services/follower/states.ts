import { sql } from "drizzle-orm";
import {
  getCampaignContract,
  getChainSettings,
  listConfiguredChainIds,
} from "../../chain/rpc/chains";
import { describeChainProblem } from "../../chain/rpc/problem";
import { withDatabase } from "../../db/client";
import { REWARD_CHAINS } from "../../domain/rewards/reward-chain";
import type { Administrator } from "../access/administrators";
import { type FollowerRow, findFollowerRow, listContracts } from "./store";

const PROBLEMS_COUNTED_MAX = 1_000;

/** The state of following one chain. Its progress is null before the first call. */
export type FollowerState = Awaited<ReturnType<typeof readState>>;

/** Lists the follower's state for each chain that has an endpoint. */
export function listFollowerStates(_by: Administrator): Promise<FollowerState[]> {
  return readFollowerStates();
}

/** Reads the same states for the metrics, whose token the caller has checked. */
export function readFollowerStates(): Promise<FollowerState[]> {
  return Promise.all(listConfiguredChainIds().map(readState));
}

async function readState(chainId: keyof typeof REWARD_CHAINS) {
  const configured = getCampaignContract(chainId);
  const [row, followed] = await Promise.all([findFollowerRow(chainId), listContracts(chainId)]);
  const others = followed.map(({ contract }) => contract).filter((other) => other !== configured);
  return {
    chainId,
    chainName: REWARD_CHAINS[chainId].name,
    /** The contracts that are followed, the one that is set now first. */
    contracts: [configured, ...others],
    progress: row ? await readProgress(row) : null,
  };
}

async function readProgress(row: FollowerRow) {
  const { headHash, agreedHash, endpoint, failure, ...shown } = row;
  const { chainId, agreedBlock, finalBlock, succeededAt, ledSince } = row;
  const [problems] = await withDatabase((db) =>
    db.execute<{ count: number }>(sql`
      select count(*)::int as count from (
        select from chain_logs where chain_id = ${chainId} and problem is not null
        limit ${PROBLEMS_COUNTED_MAX}
      ) p`),
  );
  const { rpcUrls } = getChainSettings(chainId);
  const url = rpcUrls[endpoint % rpcUrls.length];
  const since = succeededAt ?? ledSince;
  return {
    ...shown,
    /** The number of final blocks that are still to be read. */
    lagBlocks: Math.max(0, (agreedBlock ?? finalBlock) - finalBlock),
    /** The time since all blocks up to the chain's head were read: the age of the data. */
    lagSeconds: since ? Math.max(0, Math.round((Date.now() - since.getTime()) / 1_000)) : 0,
    /** The host of the endpoint that answered last, without path, query and key. */
    endpointHost: url ? new URL(url).host : "",
    /** The failure in words; null when the last call succeeded. */
    failure: failure === null ? null : describeChainProblem(failure),
    /** The number of claims on chain that fit no share here; at most 1,000 are counted. */
    claimsWithProblem: problems?.count ?? 0,
  };
}
