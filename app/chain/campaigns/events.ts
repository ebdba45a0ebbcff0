import { type Hex, type PublicClient, toEventSelector } from "viem";
import { campaignAbi } from "../../domain/campaigns/contract";
import { Failure } from "../../domain/failure";
import {
  type Block,
  findBlock,
  findReceipt,
  type LogAnswer,
  readBlock,
  readChainId,
} from "../rpc/answers";
import { getChainClient, getChainSettings } from "../rpc/chains";
import { ChainError } from "../rpc/problem";

// Reads the events of the campaign contract. The service trusts only events that are read here.

/** A mined transaction, with the logs of all contracts in it. */
export interface CampaignTransaction {
  readonly isReverted: boolean;
  readonly block: Block;
  readonly logs: readonly LogAnswer[];
}

type CampaignEventName = Extract<(typeof campaignAbi)[number], { type: "event" }>["name"];

const checkedAt = new WeakMap<PublicClient, number>();
/** A request that a person waits for skips the check while the last one is this recent. */
const CHAIN_CHECKED_MS = 10_000;

/**
 * Checks that an endpoint serves this chain: an endpoint of another chain would deny everything
 * that was seen.
 * @param sinceMs accepts an earlier check that is younger than this
 * @throws {ChainError} `wrong_chain`
 */
export async function checkChain(
  client: PublicClient,
  chainId: number,
  sinceMs = 0,
): Promise<void> {
  const now = performance.now();
  if (now - (checkedAt.get(client) ?? Number.NEGATIVE_INFINITY) < sinceMs) return;
  if ((await readChainId(client)) !== chainId) throw new ChainError("wrong_chain");
  checkedAt.set(client, now);
}

/**
 * Asks the chain's endpoints in turn. Each endpoint runs the whole of `work`: one
 * answer never mixes data from two nodes.
 * @throws {Failure} `chain_not_configured`; `chain_unavailable` when no endpoint answers
 */
export async function askChain<T>(
  chainId: number,
  work: (client: PublicClient) => Promise<T>,
): Promise<T> {
  const { rpcUrls } = getChainSettings(chainId);
  if (rpcUrls.length === 0)
    throw new Failure("chain_not_configured", { name: `RPC_URL_${chainId}` });
  let cause: unknown;
  for (const url of rpcUrls) {
    try {
      const client = getChainClient(chainId, url);
      await checkChain(client, chainId, CHAIN_CHECKED_MS);
      return await work(client);
    } catch (error) {
      if (error instanceof Failure) throw error;
      cause = error;
    }
  }
  // An endpoint's address often holds a key, and the error repeats it.
  const name = cause instanceof Error ? cause.name : "unknown";
  throw new Failure("chain_unavailable", { cause: new Error(`Chain ${chainId}: ${name}`) });
}

/**
 * Asks the chain's endpoints until one knows the answer: the first may be some blocks behind.
 * Returns null when none knows it.
 * @throws {Failure} as `askChain`
 */
async function askChainUntil<T>(
  chainId: number,
  work: (client: PublicClient) => Promise<T | null>,
): Promise<T | null> {
  let isUnknown = false;
  const answer = await askChain(chainId, async (client) => {
    const found = await work(client);
    if (found !== null) return found;
    isUnknown = true;
    throw new ChainError("behind");
  }).catch((error: unknown) => {
    if (isUnknown) return null;
    throw error;
  });
  return answer;
}

/** Reads a transaction and its logs. Returns null while it is in no block of the chain. */
export function findCampaignTransaction(
  chainId: number,
  hash: Hex,
): Promise<CampaignTransaction | null> {
  return askChainUntil(chainId, async (client) => {
    const receipt = await findReceipt(client, hash);
    if (!receipt) return null;
    const block = await findBlock(client, receipt.blockNumber);
    if (block?.hash !== receipt.blockHash) return null;
    const isReverted = receipt.status !== "0x1";
    return { isReverted, block, logs: isReverted ? [] : receipt.logs };
  });
}

/** Reads the number of the chain's newest block. */
export function getHeadBlockNumber(chainId: number): Promise<number> {
  return askChain(chainId, async (client) => (await readBlock(client, "latest")).number);
}

export function getSelector(name: CampaignEventName): Hex {
  for (const item of campaignAbi) {
    if (item.type === "event" && item.name === name) return toEventSelector(item);
  }
  throw new Error(`The campaign contract has no event ${name}`);
}
