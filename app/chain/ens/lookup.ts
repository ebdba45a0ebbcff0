import {
  BaseError,
  ContractFunctionRevertedError,
  createClient,
  HttpRequestError,
  http,
  type PublicClient,
} from "viem";
import { mainnet } from "viem/chains";
import { getEnsAddress, getEnsName, normalize } from "viem/ens";
import { parseAddress } from "../../domain/address";
import { createDeadline } from "../../domain/deadline";
import { readBody } from "../rpc/bounded-fetch";
import { type GatewayVisit, visitGateways } from "./gateways";
import type { GuardedFetch } from "./guarded-fetch";
import {
  type EnsLookup,
  type EnsOptions,
  EnsUnreachableError,
  ETHEREUM_COIN_TYPE,
} from "./protocol";

/**
 * The time for one answer in all, with several endpoints, gateways and the reverse check of a name.
 */
const DEADLINE_MS = 3_000;
/** Endpoint calls for one answer. A contract can request further calls without end. */
const RPC_CALLS_MAX = 12;
/** The endpoints share the deadline; each call has at least this long. */
const RPC_CALL_MS_MIN = 750;
const RPC_ANSWER_BYTES_MAX = 1024 * 1024;
const NAME_LENGTH_MAX = 255;

/**
 * The errors with which the universal resolver reports that an address or a name does not exist.
 */
const NOTHING_THERE = new Set([
  "DNSDecodingFailed",
  "DNSEncodingFailed",
  "EmptyAddress",
  "ResolverError",
  "ResolverNotContract",
  "ResolverNotFound",
  "ReverseAddressMismatch",
  "UnsupportedResolverProfile",
]);

type Client = Pick<PublicClient, "chain"> & Parameters<typeof getEnsAddress>[0];

/** Creates a lookup that uses ENS's universal resolver. */
export function createEnsLookup(
  options: EnsOptions & { readonly fetchFromGateway: GuardedFetch },
): EnsLookup {
  const { universalResolver } = options;
  const where = {
    strict: true,
    ...(universalResolver && { universalResolverAddress: universalResolver }),
  };
  return {
    normalizeName,
    findAddress: (name) =>
      askInTurn(options, (client) =>
        orNothing(client, getEnsAddress(client.viem, { ...where, name }), parseAddress),
      ),
    findPrimaryName: (address, coinType = ETHEREUM_COIN_TYPE) =>
      askInTurn(options, async (client) => {
        const name = await orNothing(
          client,
          getEnsName(client.viem, { ...where, address, coinType }),
          (text) => text,
        );
        if (name === null || normalizeName(name) !== name) return null;
        // The address on Ethereum is requested in the form that every resolver supports.
        const chosen = coinType === ETHEREUM_COIN_TYPE ? {} : { coinType };
        const owner = await orNothing(
          client,
          getEnsAddress(client.viem, { ...where, ...chosen, name }),
          parseAddress,
        );
        return owner === address ? name : null;
      }),
  };
}

/** Normalizes a name as ENSIP-15 says. Returns null when the text is no name. */
function normalizeName(text: string): string | null {
  if (!text.includes(".") || text.length > NAME_LENGTH_MAX) return null;
  try {
    const name = normalize(text);
    return name.length <= NAME_LENGTH_MAX ? name : null;
  } catch {
    return null;
  }
}

/** One endpoint with its gateways, for one answer. */
interface AnswerClient {
  readonly viem: Client;
  readonly gateways: GatewayVisit;
}

/** Asks the endpoints one after the other until one answers, within the deadline. */
async function askInTurn<Value>(
  { rpcUrls, fetchFromGateway }: EnsOptions & { readonly fetchFromGateway: GuardedFetch },
  ask: (client: AnswerClient) => Promise<Value>,
): Promise<Value> {
  using ended = createDeadline(DEADLINE_MS);
  let error: unknown = new Error("No endpoint");
  let reached = 0;
  for (const url of rpcUrls) {
    const gateways = visitGateways(fetchFromGateway, ended);
    const endpoint = { isReached: true };
    const viem = createClient({
      chain: mainnet,
      ccipRead: { request: gateways.request },
      // An endpoint that hangs leaves time for the next one.
      transport: http(url, {
        retryCount: 0,
        timeout: 0,
        fetchFn: limitFetch(
          endpoint,
          ended,
          Math.max(DEADLINE_MS / rpcUrls.length, RPC_CALL_MS_MIN),
        ),
      }),
    });
    try {
      return await ask({ viem, gateways });
    } catch (failure) {
      error = failure;
      if (endpoint.isReached) reached += 1;
      // Another endpoint would send this server to the same gateways.
      if (ended.aborted || gateways.hasFailed()) break;
    }
  }
  throw reached === 0 ? new EnsUnreachableError() : withoutSecrets(error);
}

/**
 * Creates a fetch with a deadline for the whole body, a limit on the body's size and one on the
 * calls. It notes when there is no connection to the endpoint; a slow answer is none of that, since
 * a name's contracts can cause it.
 */
function limitFetch(
  endpoint: { isReached: boolean },
  ended: AbortSignal,
  callMs: number,
): typeof fetch {
  let calls = 0;
  return async (input, init) => {
    calls += 1;
    if (calls > RPC_CALLS_MAX) throw new Error("Too many calls");
    using signal = createDeadline(callMs, ended);
    const response = await fetch(input, { ...init, redirect: "error", signal }).catch((error) => {
      endpoint.isReached = signal.aborted;
      throw error;
    });
    const body = await readBody(response, RPC_ANSWER_BYTES_MAX);
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}

/** Returns the answer, or null when the contracts report that it does not exist. */
async function orNothing<Found>(
  { gateways }: AnswerClient,
  asked: Promise<string | null>,
  read: (text: string) => Found | null,
): Promise<Found | null> {
  try {
    const text = await asked;
    return text === null ? null : read(text);
  } catch (error) {
    // A contract's verdict on a gateway's answer, or on a missing one, proves nothing about the
    // name.
    if (gateways.wasNeeded()) throw error;
    if (isNothingThere(error)) return null;
    throw error;
  }
}

function isNothingThere(error: unknown): boolean {
  const reverted = error instanceof BaseError && error.walk(isRevert);
  return (
    reverted instanceof ContractFunctionRevertedError &&
    NOTHING_THERE.has(reverted.data?.errorName ?? "")
  );
}

function isRevert(error: unknown): boolean {
  return error instanceof ContractFunctionRevertedError;
}

/**
 * Describes an error for the log. viem's own message contains the endpoint's address, and with it a
 * key.
 */
function withoutSecrets(error: unknown): Error {
  const cause = error instanceof BaseError ? error.walk() : error;
  const name = cause instanceof Error ? cause.name : "unknown error";
  const status = cause instanceof HttpRequestError && cause.status ? `, HTTP ${cause.status}` : "";
  return new Error(`The ENS endpoint failed: ${name}${status}`);
}
