import { createEnsLoader } from "../../chain/ens/ens";
import type { Address } from "../../domain/address";
import { listDefaultScoreChains, type ScoreChain, withApiKeys } from "../../domain/scores/chain";
import { createEnsNames, ensNames } from "../ens/names";

/**
 * The name that an address chose for a chain, by ENS's number of it; null when it has none that is
 * right. Throws when that cannot be found out.
 */
type FindPrimaryName = (address: Address, coinType: bigint) => Promise<string | null>;

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
 * @param findPrimaryName asks ENS when left out
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
    findPrimaryName: findPrimaryName ?? createNameFinder(env.RPC_URL_1 ?? [], ethereum),
  };
}

/** Asks this process' own ENS; without one, through the nodes that scores are computed from. */
function createNameFinder(own: readonly string[], nodes: readonly string[]): FindPrimaryName {
  if (own.length === 0 && nodes.length === 0) return async () => null;
  const names =
    own.length > 0
      ? ensNames
      : createEnsNames({ load: createEnsLoader({ rpcUrls: nodes }), isConfigured: () => true });
  return async (address, coinType) => (await names.getPrimaryName(address, coinType)).value;
}

/** The settings of this process; the defaults when none were given. */
export function getScoreSettings(): ScoreSettings {
  if (!holder.pointsScore) openScore({});
  if (!holder.pointsScore) throw new Error("The score is not set up");
  return holder.pointsScore;
}
