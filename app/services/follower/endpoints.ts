import type { Hex, PublicClient } from "viem";
import { checkChain } from "../../chain/campaigns/events";
import type { RangeSize } from "../../chain/campaigns/logs";
import { findBlock, readBlock } from "../../chain/rpc/answers";
import { getChainClient, getChainSettings } from "../../chain/rpc/chains";
import { createCompareMemory } from "./compare";
import type { Lease } from "./lease";
import { findFollowerRow } from "./store";

/** Creates a leader's memory of a chain, from one look to the next. */
export const createMemory = () => ({
  /** The time before which the chain is not looked at again. */
  restsUntil: 0,
  /** The times of the last look, and of the last read up to the head. */
  lookedAt: Number.NEGATIVE_INFINITY,
  readAt: Number.NEGATIVE_INFINITY,
  /** The airdrops from files for whose creation the whole chain was read, or is being read. */
  fromFiles: "",
  /** For each endpoint, by URL: the size of its requests, and until when it is no witness. */
  sizes: new Map<string, RangeSize>(),
  witnessRests: new Map<string, number>(),
  compare: createCompareMemory(),
});

/** One look at a chain through one endpoint. */
export interface Look {
  readonly lease: Lease;
  readonly url: string;
  readonly client: PublicClient;
  readonly size: RangeSize;
  readonly memory: ReturnType<typeof createMemory>;
  readonly signal: AbortSignal | undefined;
  /**
   * A block that must be read, for somebody who waits for it; null when nobody does. With `isFirst`,
   * the contract that is set now is read from there on.
   */
  readonly asked: { readonly block: number; readonly isFirst: boolean } | null;
}

/** The time after which an unchanged head may mean that the endpoint is stuck. */
const STANDS_STILL_AFTER_MS = 10_000;

/**
 * Lists a chain's endpoints, with their indexes, in the order in which they are asked. The one that
 * answered last comes first, unless its head is stuck while another endpoint's head moves.
 */
export async function listEndpoints(chainId: number): Promise<{ url: string; index: number }[]> {
  const { rpcUrls } = getChainSettings(chainId);
  const { endpoint = 0, headBlock = null, headSeenAt } = (await findFollowerRow(chainId)) ?? {};
  const endpoints = rpcUrls.map((_, turn) => {
    const index = (endpoint + turn) % rpcUrls.length;
    return { url: rpcUrls[index] ?? "", index };
  });
  const [first, ...others] = endpoints;
  const stillMs = Date.now() - (headSeenAt?.getTime() ?? 0);
  if (!first || others.length === 0 || headBlock === null || stillMs < STANDS_STILL_AFTER_MS) {
    return endpoints;
  }
  // The others are not asked when the first one moves, as they may be slow.
  if ((await readHeight(chainId, first.url)) > headBlock) return endpoints;
  const asked = await Promise.all(
    others.map(async (other) => ({ ...other, height: await readHeight(chainId, other.url) })),
  );
  if (asked.every(({ height }) => height <= headBlock)) return endpoints;
  return [...asked.toSorted((a, b) => b.height - a.height), first];
}

/** Reads the height of an endpoint's head; -1 for a problem, which is reported when it is used. */
async function readHeight(chainId: number, url: string): Promise<number> {
  const client = getChainClient(chainId, url);
  return checkChain(client, chainId)
    .then(() => readBlock(client, "latest"))
    .then(
      ({ number }) => number,
      () => -1,
    );
}

/** The time for which a witness that did not answer is not asked again. */
const WITNESS_RESTS_MS = 60_000;
const WITNESS_CHECKED_MS = 60_000;

/**
 * Asks another endpoint of the chain for the block at a height.
 * @returns the block's hash; `none` when it has no such block; null when no other endpoint answers
 */
export async function askWitness(
  { lease: { chainId }, url, memory: { witnessRests } }: Look,
  block: number,
): Promise<Hex | "none" | null> {
  for (const other of getChainSettings(chainId).rpcUrls) {
    if (other === url || performance.now() < (witnessRests.get(other) ?? 0)) continue;
    try {
      const client = getChainClient(chainId, other);
      await checkChain(client, chainId, WITNESS_CHECKED_MS);
      return (await findBlock(client, block))?.hash ?? "none";
    } catch {
      witnessRests.set(other, performance.now() + WITNESS_RESTS_MS);
    }
  }
  return null;
}
