import { z } from "zod";
import type { Address } from "../../domain/address";
import type { ScoreExplorer } from "../../domain/scores/chain";
import { fetchBounded, parseJson, readRetryAfterMs } from "../rpc/bounded-fetch";
import {
  getProviderId,
  type Provider,
  ProviderError,
  type ProviderHooks,
  type ProviderProblem,
} from "../rpc/provider";
import { runCall } from "./call";

// Reads lists from Etherscan's API, version 2, and from Blockscout's, which has the same form. Both
// answer HTTP 200 to nearly everything: `status` is "1" with a list, or "0" with the problem in
// words.

/** A transaction in the form that both explorers share. */
export interface ListedTransaction {
  readonly hash: string;
  readonly from: string;
  readonly block: number;
  /** In seconds since 1970. */
  readonly time: number;
  /** Null in lists of internal transactions. */
  readonly nonce: number | null;
}

interface ListQuery {
  readonly action: "txlist" | "txlistinternal";
  readonly sort: "asc" | "desc";
  readonly page: number;
  readonly startBlock?: number | undefined;
  readonly endBlock?: number | undefined;
}

/** Reads a page of an account's transactions. */
export type ListPage = (query: ListQuery) => Promise<readonly ListedTransaction[]>;

const Whole = z
  .string()
  .regex(/^[0-9]{1,15}$/)
  .transform(Number);
const Hash = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/i)
  .transform((hash) => hash.toLowerCase());
const Listed = z
  .object({
    hash: Hash.optional(),
    // Blockscout's name of the hash in lists of internal transactions.
    transactionHash: Hash.optional(),
    from: z.string().transform((from) => from.toLowerCase()),
    blockNumber: Whole,
    timeStamp: Whole,
    nonce: Whole.optional().catch(undefined),
  })
  .transform(({ hash, transactionHash, from, blockNumber, timeStamp, nonce }, context) => {
    const known = hash ?? transactionHash;
    if (known === undefined) context.addIssue({ code: "custom", message: "no hash" });
    return {
      hash: known ?? "",
      from,
      block: blockNumber,
      time: timeStamp,
      nonce: nonce ?? null,
    } satisfies ListedTransaction;
  });
const Reply = z.object({ status: z.string(), message: z.string().nullish(), result: z.unknown() });

const NOTHING_FOUND = /^no (internal )?transactions found/i;
/** The patterns are tried in this order. */
const PROBLEMS: readonly (readonly [RegExp, ProviderProblem])[] = [
  [/max calls per sec|max rate limit|rate limit reached|too many requests/i, "rate_limited"],
  [/query timeout|timeout occur/i, "query_timeout"],
  [/invalid api key|missing.*api key|api key.*(missing|invalid)/i, "key_refused"],
  [/not supported for this chain|upgrade your api plan/i, "plan_refused"],
  [/missing or unsupported chainid|unsupported chain/i, "chain_unknown"],
  [/result window is too large|less than or equal to 10000/i, "too_long"],
];

/** Describes the explorer as a provider. Its limits are the limits of its key. */
export function getExplorerProvider(explorer: ScoreExplorer): Provider {
  const { kind, url, apiKey, callsPerSecond, callsPerDay } = explorer;
  return { id: getProviderId(kind, url, apiKey), callsPerSecond, callsPerDay };
}

/** Creates a reader of one account's lists. */
export function createListing(
  explorer: ScoreExplorer,
  chainId: number,
  address: Address,
  hooks: ProviderHooks,
): ListPage {
  const provider = getExplorerProvider(explorer);
  return (query) =>
    runCall(provider, chainId, hooks, async () => {
      const url = buildUrl(explorer, chainId, address, query);
      return readReply(await fetchBounded(url, { signal: hooks.signal }));
    });
}

function buildUrl(
  { kind, url, apiKey, recordsMax }: ScoreExplorer,
  chainId: number,
  address: Address,
  { action, sort, page, startBlock, endBlock }: ListQuery,
): string {
  const target = new URL(url);
  const parameters = {
    ...(kind === "etherscan" && { chainid: chainId }),
    module: "account",
    action,
    address,
    page,
    offset: recordsMax,
    // Always sent: by default Blockscout starts with the newest, Etherscan with the oldest.
    sort,
    ...(startBlock !== undefined && { startblock: startBlock }),
    ...(endBlock !== undefined && { endblock: endBlock }),
    ...(apiKey !== undefined && { apikey: apiKey }),
  };
  for (const [name, value] of Object.entries(parameters)) {
    target.searchParams.set(name, String(value));
  }
  return target.href;
}

function readReply(answer: {
  status: number;
  headers: Headers;
  text: string;
}): readonly ListedTransaction[] {
  if (answer.status === 429) {
    throw new ProviderError("rate_limited", readRetryAfterMs(answer.headers));
  }
  if (answer.status === 401 || answer.status === 403) throw new ProviderError("key_refused");
  if (answer.status >= 500) throw new ProviderError("unreachable");
  const reply = Reply.safeParse(parseJson(answer.text));
  if (!reply.success) throw new ProviderError("unreadable");
  const { status, message, result } = reply.data;
  if (status === "1") {
    const list = z.array(Listed).safeParse(result);
    if (!list.success) throw new ProviderError("unreadable");
    return list.data;
  }
  if (NOTHING_FOUND.test(message ?? "")) return [];
  const words = `${message ?? ""} ${typeof result === "string" ? result : ""}`;
  const [, problem] = PROBLEMS.find(([pattern]) => pattern.test(words)) ?? [null, "unreadable"];
  throw new ProviderError(problem as ProviderProblem);
}
