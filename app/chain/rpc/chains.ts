import {
  type Chain,
  createPublicClient,
  defineChain,
  http,
  type PublicClient,
  type Transport,
} from "viem";
import type { Address } from "../../domain/address";
import { CAMPAIGN_CONTRACT_ADDRESS } from "../../domain/campaigns/contract";
import { Failure } from "../../domain/failure";
import { REWARD_CHAIN_IDS } from "../../domain/rewards/reward";
import {
  isRewardChainId,
  REWARD_CHAINS,
  type RewardChainId,
} from "../../domain/rewards/reward-chain";
import { processState } from "../../process/state";
import { readBody } from "./bounded-fetch";
import { ChainError } from "./problem";

// Holds the reward chains as this process is configured to reach them.

/** The settings of a chain, from the environment. */
export interface ChainSettings {
  /** The server's own endpoints. They can contain keys and are never shown. */
  readonly rpcUrls: readonly string[];
  /** The endpoints that browsers use, at least one. */
  readonly publicRpcUrls: readonly string[];
  /** The paymaster that pays holders' gas, for browsers; null for none. */
  readonly paymasterUrl: string | null;
  readonly campaignContract: Address;
}

/** The variables that are read here, such as `RPC_URL_8453`. */
export type ChainEnvironment = {
  readonly [Name in `RPC_URL_${RewardChainId}`]?: readonly string[] | undefined;
} & {
  readonly [Name in `PUBLIC_RPC_URL_${RewardChainId}`]?: readonly string[] | undefined;
} & {
  readonly [Name in `PAYMASTER_URL_${RewardChainId}`]?: string | undefined;
} & {
  readonly [Name in `CAMPAIGN_CONTRACT_${RewardChainId}`]?: Address | undefined;
} & {
  readonly WALLETCONNECT_PROJECT_ID?: string | undefined;
  readonly SAFE_APP_ORIGIN?: readonly string[] | undefined;
};

interface State {
  readonly settings: ReadonlyMap<number, ChainSettings>;
  readonly clients: Map<string, PublicClient>;
  readonly walletConnectProjectId: string | null;
  readonly safeAppOrigins: readonly string[];
}

const DEADLINE_MS = 5_000;
/** A little more than the library accepts, so that the library reports a longer answer itself. */
const BODY_BYTES_MAX = 11 * 1024 * 1024;
/** WalletConnect's relay, and the service in which it looks up a page's origin. */
const WALLETCONNECT_ORIGINS = ["wss://relay.walletconnect.org", "https://verify.walletconnect.org"];

const holder = processState<{ current?: State | undefined }>("chains", () => ({}));

/** Sets up the reward chains for this process. */
export function openChains(env: ChainEnvironment): void {
  const settings = REWARD_CHAIN_IDS.map((id): [number, ChainSettings] => [
    id,
    {
      rpcUrls: env[`RPC_URL_${id}`] ?? [],
      publicRpcUrls: env[`PUBLIC_RPC_URL_${id}`] ?? [REWARD_CHAINS[id].publicRpcUrl],
      paymasterUrl: env[`PAYMASTER_URL_${id}`] ?? null,
      campaignContract: env[`CAMPAIGN_CONTRACT_${id}`] ?? CAMPAIGN_CONTRACT_ADDRESS,
    },
  ]);
  holder.current = {
    settings: new Map(settings),
    clients: new Map(),
    walletConnectProjectId: env.WALLETCONNECT_PROJECT_ID ?? null,
    safeAppOrigins: env.SAFE_APP_ORIGIN ?? [],
  };
}

/**
 * Returns the project id for WalletConnect, which offers wallets on other devices. Null turns
 * WalletConnect off.
 */
export function getWalletConnectProjectId(): string | null {
  return holder.current?.walletConnectProjectId ?? null;
}

/** Lists the origins that may frame the claim page, so that a Safe can claim there. */
export function listSafeAppOrigins(): readonly string[] {
  return holder.current?.safeAppOrigins ?? [];
}

/**
 * Lists the origins that a page with a wallet calls beside this service: the chains, and
 * WalletConnect if it is on.
 */
export function listWalletOrigins(): string[] {
  const urls = REWARD_CHAIN_IDS.flatMap((id) => getChainSettings(id).publicRpcUrls);
  const origins = urls.map((url) => new URL(url).origin);
  return [...new Set(origins), ...(getWalletConnectProjectId() ? WALLETCONNECT_ORIGINS : [])];
}

/** Lists the chains that have an endpoint. */
export function listConfiguredChainIds(): RewardChainId[] {
  return REWARD_CHAIN_IDS.filter((id) => getChainSettings(id).rpcUrls.length > 0);
}

/**
 * Returns the settings of a chain.
 * @throws {Error} when the chain is no reward chain
 */
export function getChainSettings(chainId: number): ChainSettings {
  if (!holder.current) openChains({});
  const settings = holder.current?.settings.get(chainId);
  if (!settings) throw new Error(`Chain ${chainId} is no reward chain`);
  return settings;
}

/** Returns the address of the campaign contract that this service uses on a chain. */
export function getCampaignContract(chainId: number): Address {
  return getChainSettings(chainId).campaignContract;
}

/**
 * Fetches an answer with its whole body. The library's deadline ends with the headers, and an
 * endpoint may hang after them.
 */
async function fetchWhole(url: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  // The library keeps the text of the answer and loses the status.
  if (response.status === 429) {
    await response.body?.cancel();
    throw new ChainError("rate_limited");
  }
  const body = await readBody(response, BODY_BYTES_MAX).catch((error: unknown) => {
    throw init?.signal?.aborted ? init.signal.reason : error;
  });
  const { status, statusText } = response;
  // Without a content type, the library does not mistake a body that is not JSON for a broken
  // connection.
  return new Response(body.length > 0 ? body : null, { status, statusText });
}

/**
 * Returns a client of one endpoint. A client never combines several: the head must not come from
 * one node and the logs from another. A failed call is not repeated here: the caller knows which
 * calls are safe to repeat.
 * @param rpcUrl one of the chain's endpoints; the first by default
 * @throws {Failure} `chain_not_configured`
 */
export function getChainClient(chainId: number, rpcUrl?: string): PublicClient {
  const url = rpcUrl ?? getChainSettings(chainId).rpcUrls[0];
  if (url === undefined || !isRewardChainId(chainId)) {
    throw new Failure("chain_not_configured", { name: `RPC_URL_${chainId}` });
  }
  const key = `${chainId} ${url}`;
  const clients = holder.current?.clients;
  let client = clients?.get(key);
  if (!client) {
    const { name, nativeSymbol } = REWARD_CHAINS[chainId];
    // The default types by name: to compare inferred ones takes TypeScript seconds.
    client = createPublicClient<Transport, Chain | undefined>({
      // By default, a contract that a call meets could have the library ask any address (ERC-3668).
      ccipRead: false,
      chain: defineChain({
        id: chainId,
        name,
        nativeCurrency: { name: nativeSymbol, symbol: nativeSymbol, decimals: 18 },
        rpcUrls: { default: { http: [url] } },
      }),
      transport: http(url, { retryCount: 0, timeout: DEADLINE_MS, fetchFn: fetchWhole }),
    });
    clients?.set(key, client);
  }
  return client;
}

/** Returns the endpoints of a chain that browsers use, and whether the operator set others than the usual one. */
export function getBrowserEndpoints(chainId: RewardChainId) {
  const { publicRpcUrls } = getChainSettings(chainId);
  const usual = REWARD_CHAINS[chainId].publicRpcUrl;
  return { publicRpcUrls, isPublicRpcOverridden: publicRpcUrls.some((url) => url !== usual) };
}

/** Lists the reward chains with the endpoints that browsers use. */
export function listBrowserChains() {
  return REWARD_CHAIN_IDS.map((id) => {
    const { name, nativeSymbol, explorerUrl } = REWARD_CHAINS[id];
    const { paymasterUrl } = getChainSettings(id);
    return { id, name, nativeSymbol, explorerUrl, paymasterUrl, ...getBrowserEndpoints(id) };
  });
}
