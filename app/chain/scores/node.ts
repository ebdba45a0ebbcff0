import { z } from "zod";
import type { Address } from "../../domain/address";
import type { ScoreChain } from "../../domain/scores/chain";
import { fetchBounded, parseJson, readRetryAfterMs } from "../rpc/bounded-fetch";
import { getProviderId, type Provider, ProviderError, type ProviderHooks } from "../rpc/provider";
import { runCall } from "./call";

/** The state of an account, as a node reports it. */
export interface AccountState {
  /** The number of transactions that the account sent. */
  readonly nonce: number;
  readonly hasCode: boolean;
  /** True for a person's account whose wallet lends it code (EIP-7702). */
  readonly isDelegated: boolean;
}

const NODE_LIMITS = { callsPerSecond: 20, callsPerDay: 1_000_000 };
const BYTES_MAX = 256 * 1024;

const Quantity = z
  .string()
  .regex(/^0x[0-9a-f]{1,13}$/i)
  .transform(Number);
const Code = z.string().regex(/^0x([0-9a-f]{2})*$/i);
const Answer = z.object({ result: z.unknown() });

/** The code of an EIP-7702 delegation: `0xef0100` and an address. */
const DELEGATION = /^0xef0100[0-9a-f]{40}$/i;

/** Describes the node behind a URL as a provider. */
export function getNodeProvider(url: string): Provider {
  return { id: getProviderId("rpc", url), ...NODE_LIMITS };
}

/**
 * Reads an account from the first of a chain's nodes that answers.
 * @throws {ProviderError} the error of the last node
 */
export async function readAccount(
  chain: ScoreChain,
  address: Address,
  hooks: ProviderHooks,
): Promise<AccountState> {
  let failure: unknown = new ProviderError("unreachable");
  for (const url of chain.rpcUrls) {
    const provider = getNodeProvider(url);
    const ask = <T>(method: string, schema: z.ZodType<T>) =>
      runCall(provider, chain.chainId, hooks, () =>
        callNode(url, method, [address, "latest"], schema, hooks.signal),
      );
    try {
      const nonce = await ask("eth_getTransactionCount", Quantity);
      if (nonce === 0) return { nonce, hasCode: false, isDelegated: false };
      const code = await ask("eth_getCode", Code);
      const isDelegated = DELEGATION.test(code);
      return { nonce, hasCode: code !== "0x" && !isDelegated, isDelegated };
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function callNode<T>(
  url: string,
  method: string,
  params: readonly unknown[],
  schema: z.ZodType<T>,
  signal: AbortSignal,
): Promise<T> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const { status, headers, text } = await fetchBounded(url, { body, signal, bytesMax: BYTES_MAX });
  if (status === 429) throw new ProviderError("rate_limited", readRetryAfterMs(headers));
  if (status === 401 || status === 403) throw new ProviderError("key_refused");
  if (status !== 200) throw new ProviderError("unreachable");
  const answer = Answer.safeParse(parseJson(text));
  const result = schema.safeParse(answer.data?.result);
  if (!result.success) throw new ProviderError("unreadable");
  return result.data;
}
