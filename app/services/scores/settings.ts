import { isEnsConfigured } from "../../chain/ens/ens";
import type { Address } from "../../domain/address";
import { listDefaultScoreChains, type ScoreChain, withApiKeys } from "../../domain/scores/chain";
import { processState } from "../../process/state";
import { ensNames } from "../ens/names";

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
 * @param findPrimaryName the look-up of names; it asks this process's ENS when left out
 */
export function openScore(env: ScoreEnvironment, findPrimaryName = findNameInEns): void {
  const chains = withApiKeys(listScoreChains(env), {
    etherscan: env.ETHERSCAN_API_KEY,
    blockscout: env.BLOCKSCOUT_API_KEY,
  });
  holder.current = { chains, serviceUrl: env.SCORE_SERVICE_URL ?? null, findPrimaryName };
}

/**
 * Lists the endpoints at which this process resolves ENS names: its own, otherwise the nodes of
 * Ethereum that scores are computed from.
 */
export function listEnsEndpoints(env: ScoreEnvironment): readonly string[] {
  const ethereum = listScoreChains(env).find(({ chainId }) => chainId === 1);
  return env.RPC_URL_1 ?? ethereum?.rpcUrls ?? [];
}

function listScoreChains({ SCORE_CHAINS }: ScoreEnvironment): readonly ScoreChain[] {
  return SCORE_CHAINS ?? listDefaultScoreChains();
}

const findNameInEns: FindPrimaryName = async (address, coinType) =>
  isEnsConfigured() ? (await ensNames.getPrimaryName(address, coinType, "score")).value : null;

/** Returns the settings of this process; the defaults when none were given. */
export function getScoreSettings(): ScoreSettings {
  if (!holder.current) openScore({});
  if (!holder.current) throw new Error("The score is not set up");
  return holder.current;
}
