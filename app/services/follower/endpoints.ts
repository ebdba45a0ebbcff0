import type { Hex } from "viem";
import { checkChain } from "../../chain/campaigns/events";
import { type ChainHead, readHead } from "../../chain/campaigns/logs";
import { findBlock } from "../../chain/rpc/answers";
import { getChainClient, getChainSettings } from "../../chain/rpc/chains";
import { findFollowerRow } from "./store";

/** One of a chain's endpoints, with its index among them. */
export interface Endpoint {
  readonly url: string;
  readonly index: number;
  /** The chain's head by this endpoint; null if it was not asked. */
  readonly head: ChainHead | null;
}

/** The time after which an unchanged head may mean that the endpoint is stuck. */
const STANDS_STILL_AFTER_MS = 10_000;

/**
 * Lists the endpoints in the order in which they are asked. The one that answered last comes first,
 * unless its head is stuck while another endpoint's head moves.
 */
export async function listEndpoints(chainId: number): Promise<Endpoint[]> {
  const { rpcUrls } = getChainSettings(chainId);
  const row = await findFollowerRow(chainId);
  const endpoints = rpcUrls.map((_, turn): Endpoint => {
    const index = ((row?.endpoint ?? 0) + turn) % rpcUrls.length;
    return { url: rpcUrls[index] ?? "", index, head: null };
  });
  const headBlock = row?.headBlock ?? null;
  const seenAt = row?.headSeenAt?.getTime() ?? 0;
  if (headBlock === null || rpcUrls.length < 2 || Date.now() - seenAt < STANDS_STILL_AFTER_MS) {
    return endpoints;
  }
  const [first, ...others] = endpoints;
  if (!first) return [];
  const asked = await withHead(first);
  // The other endpoints are not asked when the first one moves, as they may be slow.
  const isMoving = heightOf(asked) > headBlock;
  const known = isMoving ? [asked] : [asked, ...(await Promise.all(others.map(withHead)))];
  const highest = known.reduce((a, b) => (heightOf(b) > heightOf(a) ? b : a));
  if (heightOf(highest) <= headBlock) return endpoints;
  const { index } = highest;
  return [highest, ...endpoints.filter((endpoint) => endpoint.index !== index)];

  // A problem is reported when the endpoint is used.
  async function withHead(endpoint: Endpoint): Promise<Endpoint> {
    const client = getChainClient(chainId, endpoint.url);
    const head = await checkChain(client, chainId).then(
      () => readHead(client, chainId),
      () => null,
    );
    return { ...endpoint, head };
  }
}

const heightOf = ({ head }: Endpoint) => head?.number ?? -1;

/** The time for which a witness that did not answer is not asked again. */
const WITNESS_RESTS_MS = 60_000;
const WITNESS_CHECKED_MS = 60_000;

/** The time until which each endpoint is not asked as a witness. */
export type WitnessRests = Map<string, number>;

/**
 * Asks another endpoint of the chain for the block at a height.
 * @returns the block's hash; `none` when it has no such block; null when no other endpoint answers
 */
export async function askWitness(
  chainId: number,
  url: string,
  block: number,
  rests: WitnessRests,
): Promise<Hex | "none" | null> {
  for (const other of getChainSettings(chainId).rpcUrls) {
    if (other === url || performance.now() < (rests.get(other) ?? 0)) continue;
    try {
      const client = getChainClient(chainId, other);
      await checkChain(client, chainId, WITNESS_CHECKED_MS);
      return (await findBlock(client, block))?.hash ?? "none";
    } catch {
      rests.set(other, performance.now() + WITNESS_RESTS_MS);
    }
  }
  return null;
}
