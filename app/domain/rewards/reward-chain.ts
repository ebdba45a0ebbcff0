import { REWARD_CHAIN_IDS } from "./reward";

export type RewardChainId = (typeof REWARD_CHAIN_IDS)[number];

/** The facts about a reward chain that people and browsers need. */
export interface RewardChain {
  readonly name: string;
  /** The symbol of its native coin, which has 18 decimals on every chain. */
  readonly nativeSymbol: string;
  /** An endpoint that is open to the public. */
  readonly publicRpcUrl: string;
  readonly explorerUrl: string;
  readonly isTestnet: boolean;
}

/** The chains of rewards. Source: chainlist and viem's chain definitions. */
export const REWARD_CHAINS: Readonly<Record<RewardChainId, RewardChain>> = {
  5031: {
    name: "Somnia",
    nativeSymbol: "SOMI",
    publicRpcUrl: "https://api.infra.mainnet.somnia.network",
    explorerUrl: "https://explorer.somnia.network",
    isTestnet: false,
  },
  50312: {
    name: "Somnia Testnet",
    nativeSymbol: "STT",
    publicRpcUrl: "https://api.infra.testnet.somnia.network",
    explorerUrl: "https://shannon-explorer.somnia.network",
    isTestnet: true,
  },
  8453: {
    name: "Base",
    nativeSymbol: "ETH",
    publicRpcUrl: "https://mainnet.base.org",
    explorerUrl: "https://basescan.org",
    isTestnet: false,
  },
  84532: {
    name: "Base Sepolia",
    nativeSymbol: "ETH",
    publicRpcUrl: "https://sepolia.base.org",
    explorerUrl: "https://sepolia.basescan.org",
    isTestnet: true,
  },
};

/** Lists the chains that the campaigns of a point system can use: those of a sandbox, test networks only. */
export function listChainIdsFor({ isSandbox }: { readonly isSandbox: boolean }): RewardChainId[] {
  return REWARD_CHAIN_IDS.filter((id) => !isSandbox || REWARD_CHAINS[id].isTestnet);
}

/** Checks whether rewards can be claimed on a chain. */
export function isRewardChainId(chainId: number): chainId is RewardChainId {
  return Object.hasOwn(REWARD_CHAINS, chainId);
}
