import { base, baseSepolia, somnia, somniaTestnet } from "viem/chains";
import { type CreateConnectorFn, createConfig, fallback, http, injected } from "wagmi";
import { walletConnect } from "wagmi/connectors/walletConnect";
import type { SafeApp } from "./safe-app";

// The settings of wagmi. This folder is loaded only by pages that connect wallets.

const CHAINS = [base, baseSepolia, somnia, somniaTestnet] as const;
type ChainId = (typeof CHAINS)[number]["id"];
type OwnChain = (typeof CHAINS)[number];
const POLLING_MS = 2_000;
/** The wait for one of several endpoints. */
const ENDPOINT_MS = 4_000;

export interface WalletChain {
  readonly id: number;
  /** At least one; the others are asked in their order when one does not answer. */
  readonly publicRpcUrls: readonly string[];
  /** Whether the operator set an endpoint of their own, whose chain may lack Multicall3. */
  readonly isPublicRpcOverridden: boolean;
}

export interface WalletOptions {
  /** At least one. */
  readonly chains: readonly WalletChain[];
  /** Null where WalletConnect is not offered. */
  readonly walletConnectProjectId: string | null;
  /** The origins whose frame is a Safe; absent when the page cannot be framed. */
  readonly safeAppOrigins?: readonly string[];
  readonly origin: string;
}

/**
 * Creates wagmi's configuration for some chains. It offers wallets that announce themselves
 * (EIP-6963), `window.ethereum`, and WalletConnect, whose code is loaded when the reader chooses
 * it. In the frame of a Safe, the Safe is the only wallet: a browser's own wallets would be other
 * accounts.
 */
export function createWalletConfig(
  { chains, walletConnectProjectId, origin }: WalletOptions,
  safeApp: SafeApp | null,
) {
  const own = chains.map(({ id, publicRpcUrls }) => {
    const known = CHAINS.find((chain) => chain.id === id) ?? baseSepolia;
    return { ...known, rpcUrls: { default: { http: publicRpcUrls } } } as never as OwnChain;
  });
  const connectors: CreateConnectorFn[] = [safeApp?.connector ?? injected()];
  if (walletConnectProjectId !== null && !safeApp) {
    connectors.push(
      walletConnect({
        projectId: walletConnectProjectId,
        // The library's own dialog is larger than the rest of the page.
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
  const byChain = <Value>(read: (chain: WalletChain) => Value) =>
    Object.fromEntries(chains.map((chain) => [chain.id, read(chain)])) as Record<ChainId, Value>;
  return createConfig({
    chains: own as never as readonly [OwnChain, ...OwnChain[]],
    connectors,
    multiInjectedProviderDiscovery: !safeApp,
    // Browsers may refuse storage to a frame. The Safe connects by itself each time.
    ...(safeApp && { storage: null }),
    transports: byChain(({ publicRpcUrls }) => createTransport(publicRpcUrls)),
    pollingInterval: POLLING_MS,
    batch: byChain(({ isPublicRpcOverridden }) => ({ multicall: !isPublicRpcOverridden })),
  });
}

/** Asks an endpoint, and the next one when it fails or does not answer. A contract's refusal is an answer. */
function createTransport(urls: readonly string[]) {
  const [only] = urls;
  if (urls.length === 1) return http(only);
  return fallback(urls.map((url) => http(url, { timeout: ENDPOINT_MS })));
}
