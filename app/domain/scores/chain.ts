import { z } from "zod";
import { isRewardChainId } from "../rewards/reward-chain";

const EXPLORER_KINDS = ["etherscan", "blockscout"] as const;
export type ExplorerKind = (typeof EXPLORER_KINDS)[number];

/** The limits of a provider's free calls and records. */
const LIMITS = {
  etherscan: { callsPerSecond: 3, callsPerDay: 100_000, recordsMax: 1_000 },
  blockscout: { callsPerSecond: 5, callsPerDay: 100_000, recordsMax: 1_000 },
} as const satisfies Record<ExplorerKind, object>;

const ETHERSCAN_URL = "https://api.etherscan.io/v2/api";

/**
 * Creates the schema of the environment variable `SCORE_CHAINS`: the chains that a score is
 * computed from, as JSON.
 * @param endpoint the schema of a URL that the server may call
 */
export function createScoreChainsSchema(endpoint: z.ZodType<string, string>) {
  const Explorer = z
    .strictObject({
      kind: z.enum(EXPLORER_KINDS),
      url: endpoint,
      apiKey: z.string().min(1).max(200).optional(),
      callsPerSecond: z.number().positive().max(1_000).optional(),
      callsPerDay: z.int().positive().optional(),
      recordsMax: z.int().min(1).max(10_000).optional(),
    })
    .transform(({ kind, ...explorer }) => ({
      kind,
      ...LIMITS[kind],
      ...withoutUndefined(explorer),
    }));
  const Chain = z.strictObject({
    chainId: z
      .int()
      .positive()
      .refine((chainId) => !isRewardChainId(chainId), "must not be a chain of rewards"),
    name: z.string().min(1).max(60),
    rpcUrls: z.array(endpoint).min(1).max(5),
    explorers: z.array(Explorer).max(5),
  });
  return z
    .array(Chain)
    .min(1)
    .max(30)
    .refine(
      (chains) => new Set(chains.map(({ chainId }) => chainId)).size === chains.length,
      "must name each chain once",
    );
}

/** A chain that scores are computed from, with its providers. */
export type ScoreChain = z.output<ReturnType<typeof createScoreChainsSchema>>[number];
export type ScoreExplorer = ScoreChain["explorers"][number];

function withoutUndefined<T extends object>(value: T) {
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof T]: Exclude<T[Name], undefined> };
}

/**
 * The default chains: [chain id, name, JSON-RPC endpoint, Blockscout instance]. All providers are
 * public and need no key.
 */
const DEFAULTS = [
  [1, "Ethereum", "https://ethereum-rpc.publicnode.com", "https://eth.blockscout.com/api"],
  [10, "OP Mainnet", "https://mainnet.optimism.io", "https://explorer.optimism.io/api"],
  [137, "Polygon", "https://polygon-bor-rpc.publicnode.com", "https://polygon.blockscout.com/api"],
  [42_161, "Arbitrum One", "https://arb1.arbitrum.io/rpc", "https://arbitrum.blockscout.com/api"],
  [100, "Gnosis", "https://rpc.gnosischain.com", "https://gnosis.blockscout.com/api"],
  [42_220, "Celo", "https://forno.celo.org", "https://celo.blockscout.com/api"],
  [59_144, "Linea", "https://rpc.linea.build", "https://api-explorer.linea.build/api"],
  [534_352, "Scroll", "https://rpc.scroll.io", "https://scroll.blockscout.com/api"],
  [324, "ZKsync Era", "https://mainnet.era.zksync.io", "https://zksync.blockscout.com/api"],
] as const;

/** Lists the nine chains of the interface with public providers, Etherscan first. */
export function listDefaultScoreChains(): ScoreChain[] {
  return DEFAULTS.map(([chainId, name, rpcUrl, blockscoutUrl]) => ({
    chainId,
    name,
    rpcUrls: [rpcUrl],
    explorers: [
      { kind: "etherscan" as const, ...LIMITS.etherscan, url: ETHERSCAN_URL },
      { kind: "blockscout" as const, ...LIMITS.blockscout, url: blockscoutUrl },
    ],
  }));
}

/** Adds the environment's keys to the explorers that have none. Etherscan needs one. */
export function withApiKeys(
  chains: readonly ScoreChain[],
  keys: { readonly [Kind in ExplorerKind]?: string | undefined },
): ScoreChain[] {
  return chains.map((chain) => ({
    ...chain,
    explorers: chain.explorers
      .map((explorer) => {
        const apiKey = explorer.apiKey ?? keys[explorer.kind];
        return apiKey === undefined ? explorer : { ...explorer, apiKey };
      })
      .filter(({ kind, apiKey }) => kind !== "etherscan" || apiKey !== undefined),
  }));
}
