import { createEnsLoader } from "../../chain/ens/ens";
import type { Address } from "../../domain/address";
import { listDefaultScoreChains, type ScoreChain, withApiKeys } from "../../domain/scores/chain";
import { processState } from "../../process/state";
import { createEnsNames, ensNames } from "../ens/names";

/**
 * Finds the name that an address chose for a chain, by the chain's number in ENS; null when it has
 * no valid one. It throws when ENS does not answer.
 */
type FindPrimaryName = (address: Address, coinType: bigint) => Promise<string | null>;

/** The settings from which this process computes scores. */
export interface ScoreSettings {
  readonly chains: readonly ScoreChain[];
  /** The URL of an engine that replaces the built-in one; null for none. */
  readonly serviceUrl: string | null;
  readonly findPrimaryName: FindPrimaryName;
}

/** The environment variables that are read here. */
export interface ScoreEnvironment {
  readonly SCORE_CHAINS?: readonly ScoreChain[] | undefined;
  readonly SCORE_SERVICE_URL?: string | undefined;
  readonly ETHERSCAN_API_KEY?: string | undefined;
  readonly BLOCKSCOUT_API_KEY?: string | undefined;
  readonly RPC_URL_1?: readonly string[] | undefined;
}

const holder = processState<{ current?: ScoreSettings | undefined }>("scores", () => ({}));

/**
 * Configures the scores of this process.
 * @param findPrimaryName the look-up of names; it asks ENS when left out
 */
export function openScore(env: ScoreEnvironment, findPrimaryName?: FindPrimaryName): void {
  const chains = withApiKeys(env.SCORE_CHAINS ?? listDefaultScoreChains(), {
    etherscan: env.ETHERSCAN_API_KEY,
    blockscout: env.BLOCKSCOUT_API_KEY,
  });
  const ethereum = chains.find(({ chainId }) => chainId === 1)?.rpcUrls ?? [];
  holder.current = {
    chains,
    serviceUrl: env.SCORE_SERVICE_URL ?? null,
    findPrimaryName: findPrimaryName ?? createNameFinder(env.RPC_URL_1 ?? [], ethereum),
  };
}

/**
 * Creates a look-up by this process's own ENS; without one, by the nodes that scores are computed
 * from.
 */
function createNameFinder(own: readonly string[], nodes: readonly string[]): FindPrimaryName {
  if (own.length === 0 && nodes.length === 0) return async () => null;
  const names =
    own.length > 0
      ? ensNames
      : createEnsNames({ load: createEnsLoader({ rpcUrls: nodes }), isConfigured: () => true });
  return async (address, coinType) => (await names.getPrimaryName(address, coinType)).value;
}

/** Returns the settings of this process; the defaults when none were given. */
export function getScoreSettings(): ScoreSettings {
  if (!holder.current) openScore({});
  if (!holder.current) throw new Error("The score is not set up");
  return holder.current;
}
