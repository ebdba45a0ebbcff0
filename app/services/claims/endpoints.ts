import { type ChainHead, readHead } from "../../chain/campaigns/claim-logs";
import { checkChain } from "../../chain/campaigns/events";
import { getChainClient, getChainSettings } from "../../chain/rpc/chains";
import { type ChainContract, findContractRow } from "./store";

/** One of a chain's endpoints, with its index among them. */
interface Endpoint {
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
export async function listEndpoints(of: ChainContract): Promise<Endpoint[]> {
  const { rpcUrls } = getChainSettings(of.chainId);
  const row = await findContractRow(of);
  const endpoints = rpcUrls.map((_, turn): Endpoint => {
    const index = ((row?.provider ?? 0) + turn) % rpcUrls.length;
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

  async function withHead(endpoint: Endpoint): Promise<Endpoint> {
    return { ...endpoint, head: await findHead(of, endpoint.url) };
  }
}

const heightOf = ({ head }: Endpoint) => head?.number ?? -1;

/**
 * Reads an endpoint's head. Null when it cannot be read; the problem is reported when the endpoint
 * is used.
 */
async function findHead({ chainId }: ChainContract, url: string): Promise<ChainHead | null> {
  const client = getChainClient(chainId, url);
  return checkChain(client, chainId)
    .then(() => readHead(client, chainId))
    .catch(() => null);
}
