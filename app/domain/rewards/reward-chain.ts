import type { REWARD_CHAIN_IDS } from "./reward";

export type RewardChainId = (typeof REWARD_CHAIN_IDS)[number];

/** What people and browsers need to know of a chain on which rewards can be claimed. */
export interface RewardChain {
  readonly name: string;
  /** Of its native coin, which has 18 decimals everywhere. */
  readonly nativeSymbol: string;
  /** Anybody's endpoint. */
  readonly publicRpcUrl: string;
  readonly explorerUrl: string;
  readonly isTestnet: boolean;
}

/** Source: chainlist and viem's chain definitions. */
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

/** Whether rewards can be claimed on a chain. */
export function isRewardChainId(chainId: number): chainId is RewardChainId {
  return Object.hasOwn(REWARD_CHAINS, chainId);
}
