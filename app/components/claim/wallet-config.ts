import { base, baseSepolia, somnia, somniaTestnet } from "viem/chains";
import { type CreateConnectorFn, createConfig, http, injected } from "wagmi";
import { walletConnect } from "wagmi/connectors/walletConnect";

// wagmi's settings. This folder is loaded only by pages that connect wallets.

const CHAINS = [base, baseSepolia, somnia, somniaTestnet] as const;
type ChainId = (typeof CHAINS)[number]["id"];
const POLLING_MS = 2_000;

export interface WalletOptions {
  readonly chain: {
    readonly id: number;
    readonly publicRpcUrl: string;
    /** The operator named an endpoint of their own: it may be a chain without Multicall3. */
    readonly isPublicRpcOverridden: boolean;
  };
  /** Null where WalletConnect is not offered. */
  readonly walletConnectProjectId: string | null;
  readonly origin: string;
}

/**
 * What wagmi needs for one chain: wallets that announce themselves (EIP-6963), `window.ethereum`, and
 * WalletConnect, whose code is fetched when somebody chooses it.
 */
export function createWalletConfig({ chain, walletConnectProjectId, origin }: WalletOptions) {
  const { publicRpcUrl, isPublicRpcOverridden } = chain;
  const known = CHAINS.find(({ id }) => id === chain.id) ?? baseSepolia;
  const own = { ...known, rpcUrls: { default: { http: [publicRpcUrl] } } } as typeof baseSepolia;
  const connectors: CreateConnectorFn[] = [injected()];
  if (walletConnectProjectId !== null) {
    connectors.push(
      walletConnect({
        projectId: walletConnectProjectId,
        // The library's own dialog is larger than all else on the page.
        showQrModal: false,
        telemetryEnabled: false,
        metadata: {
          name: "Points and Rewards",
          description: "Campaigns and claims",
          url: origin,
          icons: [`${origin}/favicon.svg`],
        },
      }),
    );
  }
  return createConfig({
    chains: [own],
    connectors,
    transports: { [own.id]: http(publicRpcUrl) } as Record<ChainId, ReturnType<typeof http>>,
    pollingInterval: POLLING_MS,
    batch: { multicall: !isPublicRpcOverridden },
  });
}
