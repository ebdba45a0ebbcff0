import { createPublicClient, defineChain, http, type PublicClient } from "viem";
import type { Address } from "../../domain/address";
import { CAMPAIGN_CONTRACT_ADDRESS } from "../../domain/campaigns/contract";
import { Failure } from "../../domain/failure";
import { REWARD_CHAIN_IDS } from "../../domain/rewards/reward";
import {
  isRewardChainId,
  REWARD_CHAINS,
  type RewardChainId,
} from "../../domain/rewards/reward-chain";
import { readBody } from "./bounded-fetch";
import { createChainError } from "./problem";

// The reward chains as this process is set up to reach them.

/** What the environment says of a chain. */
export interface ChainSettings {
  /** Endpoints of the server's own, which may hold keys: they are never shown. */
  readonly rpcUrls: readonly string[];
  /** What browsers use. */
  readonly publicRpcUrl: string;
  readonly campaignContract: Address;
}

/** The variables that are read here: `RPC_URL_8453` and so on. */
export type ChainEnvironment = {
  readonly [Name in `RPC_URL_${RewardChainId}`]?: readonly string[] | undefined;
} & {
  readonly [Name in `PUBLIC_RPC_URL_${RewardChainId}`]?: string | undefined;
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
/** A little more than the library takes: it says that it is too much. */
const BODY_BYTES_MAX = 11 * 1024 * 1024;
/** Its relay, and where it looks a page's origin up. */
const WALLETCONNECT_ORIGINS = ["wss://relay.walletconnect.org", "https://verify.walletconnect.org"];

// One state for the process. On globalThis, as the database's is: the two entries of the server
// build each have a copy of this module.
const holder = globalThis as typeof globalThis & { pointsChains?: State | undefined };

/** Sets up the reward chains for this process. */
export function openChains(env: ChainEnvironment): void {
  const settings = REWARD_CHAIN_IDS.map((id): [number, ChainSettings] => [
    id,
    {
      rpcUrls: env[`RPC_URL_${id}`] ?? [],
      publicRpcUrl: env[`PUBLIC_RPC_URL_${id}`] ?? REWARD_CHAINS[id].publicRpcUrl,
      campaignContract: env[`CAMPAIGN_CONTRACT_${id}`] ?? CAMPAIGN_CONTRACT_ADDRESS,
    },
  ]);
  holder.pointsChains = {
    settings: new Map(settings),
    clients: new Map(),
    walletConnectProjectId: env.WALLETCONNECT_PROJECT_ID ?? null,
    safeAppOrigins: env.SAFE_APP_ORIGIN ?? [],
  };
}

/** With which WalletConnect is asked for wallets of other devices; null when it is not offered. */
export function getWalletConnectProjectId(): string | null {
  return holder.pointsChains?.walletConnectProjectId ?? null;
}

/** Whose pages may frame the claim page, so that a Safe can claim there. */
export function listSafeAppOrigins(): readonly string[] {
  return holder.pointsChains?.safeAppOrigins ?? [];
}

/** Whom a page with a wallet calls beside this service: the chains, and WalletConnect if it is on. */
export function listWalletOrigins(): string[] {
  const urls = REWARD_CHAIN_IDS.map((id) => getChainSettings(id).publicRpcUrl);
  const origins = urls.map((url) => new URL(url).origin);
  return [...new Set(origins), ...(getWalletConnectProjectId() ? WALLETCONNECT_ORIGINS : [])];
}

/** The chains that have an endpoint. */
export function listConfiguredChainIds(): RewardChainId[] {
  return REWARD_CHAIN_IDS.filter((id) => getChainSettings(id).rpcUrls.length > 0);
}

/** @throws {Error} for a chain on which there are no rewards */
export function getChainSettings(chainId: number): ChainSettings {
  if (!holder.pointsChains) openChains({});
  const settings = holder.pointsChains?.settings.get(chainId);
  if (!settings) throw new Error(`Chain ${chainId} is no reward chain`);
  return settings;
}

/** The contract that this service runs campaigns on, on a chain. */
export function getCampaignContract(chainId: number): Address {
  return getChainSettings(chainId).campaignContract;
}

/** The library's deadline ends with an answer's head: an endpoint may hang, or trickle, after it. */
async function fetchWhole(url: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  // The library passes the words on and forgets the number.
  if (response.status === 429) {
    await response.body?.cancel();
    throw createChainError("rate_limited");
  }
  const body = await readBody(response, BODY_BYTES_MAX).catch((error: unknown) => {
    throw init?.signal?.aborted ? init.signal.reason : error;
  });
  const { status, statusText } = response;
  // Without a type, the library does not take what is no JSON for a broken connection.
  return new Response(body.length > 0 ? body : null, { status, statusText });
}

/**
 * A client of one endpoint. Never of several at once: the head must not come from one node and the
 * logs from another. What fails is not tried again here: the caller knows what is safe.
 * @param rpcUrl one of the chain's; its first when left out
 * @throws {Failure} `chain_not_configured`
 */
export function getChainClient(chainId: number, rpcUrl?: string): PublicClient {
  const url = rpcUrl ?? getChainSettings(chainId).rpcUrls[0];
  if (url === undefined || !isRewardChainId(chainId)) {
    throw new Failure("chain_not_configured", { name: `RPC_URL_${chainId}` });
  }
  const key = `${chainId} ${url}`;
  const clients = holder.pointsChains?.clients;
  let client = clients?.get(key);
  if (!client) {
    const { name, nativeSymbol } = REWARD_CHAINS[chainId];
    client = createPublicClient({
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
