import { createPrimaryNameLookup, type FindPrimaryName } from "../chain/primary-name";
import { listDefaultScoreChains, type ScoreChain, withApiKeys } from "../domain/score-chain";

/** What this process computes scores from. */
export interface ScoreSettings {
  readonly chains: readonly ScoreChain[];
  /** An engine in the place of the one that is built in; null for none. */
  readonly serviceUrl: string | null;
  readonly findPrimaryName: FindPrimaryName;
}

/** The variables that are read here. */
export interface ScoreEnvironment {
  readonly SCORE_CHAINS?: readonly ScoreChain[] | undefined;
  readonly SCORE_SERVICE_URL?: string | undefined;
  readonly ETHERSCAN_API_KEY?: string | undefined;
  readonly BLOCKSCOUT_API_KEY?: string | undefined;
  readonly RPC_URL_1?: readonly string[] | undefined;
}

// One state for the process. On globalThis, as the database's is: the two entries of the server
// build each have a copy of this module.
const holder = globalThis as typeof globalThis & { pointsScore?: ScoreSettings | undefined };

/**
 * Sets up the score for this process.
 * @param findPrimaryName asks Ethereum's own endpoints when left out
 */
export function openScore(env: ScoreEnvironment, findPrimaryName?: FindPrimaryName): void {
  const chains = withApiKeys(env.SCORE_CHAINS ?? listDefaultScoreChains(), {
    etherscan: env.ETHERSCAN_API_KEY,
    blockscout: env.BLOCKSCOUT_API_KEY,
  });
  const ethereum = chains.find(({ chainId }) => chainId === 1)?.rpcUrls ?? [];
  holder.pointsScore = {
    chains,
    serviceUrl: env.SCORE_SERVICE_URL ?? null,
    findPrimaryName: findPrimaryName ?? createPrimaryNameLookup(env.RPC_URL_1 ?? ethereum),
  };
}

/** The settings of this process; the defaults when none were given. */
export function getScoreSettings(): ScoreSettings {
  if (!holder.pointsScore) openScore({});
  if (!holder.pointsScore) throw new Error("The score is not set up");
  return holder.pointsScore;
}
