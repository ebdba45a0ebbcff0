import {
  type Hex,
  type PublicClient,
  parseEventLogs,
  TransactionReceiptNotFoundError,
  toEventSelector,
  toHex,
} from "viem";
import { campaignAbi } from "../../domain/campaigns/contract";
import type { CampaignRef } from "../../domain/campaigns/ref";
import { Failure } from "../../domain/failure";
import { findBlock, readBlock, readChainId, readLogs } from "../rpc/answers";
import { getChainClient, getChainSettings } from "../rpc/chains";
import { ChainError, isAskedTooMuch } from "../rpc/problem";

// Reads the events of the campaign contract. The service trusts only events that are read here.

/** A mined transaction that called the campaign contract, or a contract that imitates it. */
export interface CampaignTransaction {
  readonly hash: Hex;
  readonly isReverted: boolean;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly minedAt: Date;
  readonly events: readonly CampaignEvent[];
}

/** An event in the shape of the campaign contract's events, with the contract that emitted it. */
export type CampaignEvent = ReturnType<typeof decodeEvents>[number];

/** Selects logs of the contract: the creation of one campaign, or the later events of one. */
export type LogFilter = { readonly ref: CampaignRef } | { readonly onchainId: bigint };

const BLOCKS_A_CALL: Readonly<Record<number, number>> = { 5031: 1_000, 50312: 1_000 };
const BLOCKS_A_CALL_DEFAULT = 2_000;
const CALLS_A_SCAN_MAX = 20;
const SCAN_MS_MAX = 10_000;
/** Used for chains that have no `finalized` block. */
const FINAL_AFTER_BLOCKS = 100;
const CHAINS_WITH_FINALIZED: readonly number[] = [8453, 84532];

const LATER_EVENTS = [
  "BucketsAdded",
  "AirdropCancelled",
  "Refunded",
  "AdminChanged",
] as const satisfies readonly CampaignEventName[];
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
export async function askChainUntil<T>(
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

/** Reads a transaction and its events. Returns null while it is in no block of the chain. */
export function findCampaignTransaction(
  chainId: number,
  hash: Hex,
): Promise<CampaignTransaction | null> {
  return askChainUntil(chainId, async (client) => {
    const receipt = await client.getTransactionReceipt({ hash }).catch((error: unknown) => {
      if (error instanceof TransactionReceiptNotFoundError) return null;
      throw error;
    });
    if (!receipt) return null;
    const block = await findBlock(client, Number(receipt.blockNumber));
    if (block?.hash !== receipt.blockHash) return null;
    return {
      hash: receipt.transactionHash,
      isReverted: receipt.status !== "success",
      blockNumber: Number(receipt.blockNumber),
      blockHash: receipt.blockHash,
      minedAt: block.minedAt,
      events: decodeEvents(receipt.logs),
    };
  });
}

function decodeEvents(logs: Parameters<typeof parseEventLogs>[0]["logs"]) {
  return parseEventLogs({ abi: campaignAbi, logs, strict: true }).map(
    ({ address, eventName, args }) =>
      ({ contract: address.toLowerCase(), eventName, args }) as DecodedEvent,
  );
}

type DecodedLog = ReturnType<typeof parseEventLogs<typeof campaignAbi, true>>[number];
type DecodedEvent = DecodedLog extends infer Log
  ? Log extends { eventName: infer Name; args: infer Args }
    ? { readonly contract: string; readonly eventName: Name; readonly args: Args }
    : never
  : never;

/** Reads the highest block that can no longer be dropped, as far as the chain reports it. */
export async function readFinalBlockNumber(
  client: PublicClient,
  chainId: number,
  head?: number,
): Promise<number> {
  if (CHAINS_WITH_FINALIZED.includes(chainId)) return (await readBlock(client, "finalized")).number;
  const newest = head ?? (await readBlock(client, "latest")).number;
  return Math.max(0, newest - FINAL_AFTER_BLOCKS);
}

/**
 * Returns how many blocks the first request for logs covers, before anything is known of the
 * endpoint.
 */
export function getBlocksACall(chainId: number): number {
  return BLOCKS_A_CALL[chainId] ?? BLOCKS_A_CALL_DEFAULT;
}

/** Reads the number of the chain's newest block. */
export function getHeadBlockNumber(chainId: number): Promise<number> {
  return askChain(chainId, async (client) => (await readBlock(client, "latest")).number);
}

/**
 * Looks for a campaign's transactions from a block on, up to the head if it is within reach.
 * @returns the hashes in chain order, and the last block that is final; the next scan starts after
 *   it
 */
export function scanCampaignLogs(
  chainId: number,
  filter: LogFilter,
  fromBlock: number,
): Promise<{ hashes: readonly Hex[]; scannedToBlock: number; hasMore: boolean }> {
  return askChain(chainId, async (client) => {
    const { number: head } = await readBlock(client, "latest");
    const final = Math.min(head, await readFinalBlockNumber(client, chainId, head));
    const hashes = new Set<Hex>();
    let blocks = getBlocksACall(chainId);
    let next = fromBlock;
    const givesUpAt = Date.now() + SCAN_MS_MAX;
    for (let call = 0; call < CALLS_A_SCAN_MAX && next <= head; call += 1) {
      if (Date.now() > givesUpAt) break;
      const to = Math.min(head, next + blocks - 1);
      try {
        for (const hash of await getLogHashes(client, chainId, filter, next, to)) hashes.add(hash);
        next = to + 1;
      } catch (error) {
        if (blocks === 1 || !isAskedTooMuch(error)) throw error;
        blocks = Math.ceil((to - next + 1) / 2);
      }
    }
    const scannedToBlock = Math.max(fromBlock - 1, Math.min(next - 1, final));
    return { hashes: [...hashes], scannedToBlock, hasMore: next <= head };
  });
}

async function getLogHashes(
  client: PublicClient,
  chainId: number,
  filter: LogFilter,
  from: number,
  to: number,
): Promise<Hex[]> {
  const topics =
    "ref" in filter
      ? [getSelector("AirdropCreated"), null, null, filter.ref]
      : [LATER_EVENTS.map(getSelector), toHex(filter.onchainId, { size: 32 })];
  const address = getChainSettings(chainId).campaignContract;
  const logs = await readLogs(client, { address, topics, fromBlock: from, toBlock: to });
  return logs.map(({ transactionHash }) => transactionHash);
}

export function getSelector(name: CampaignEventName): Hex {
  for (const item of campaignAbi) {
    if (item.type === "event" && item.name === name) return toEventSelector(item);
  }
  throw new Error(`The campaign contract has no event ${name}`);
}
