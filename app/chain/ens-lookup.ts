import {
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  HttpRequestError,
  http,
} from "viem";
import { mainnet } from "viem/chains";
import { getEnsAddress, normalize } from "viem/ens";
import { parseAddress } from "../domain/address";
import type { Lookup } from "./ens";

const DEADLINE_MS = 3_000;

/** How the universal resolver says that a name has no address. */
const NO_ADDRESS_ERRORS = new Set([
  "DNSDecodingFailed",
  "DNSEncodingFailed",
  "EmptyAddress",
  "ResolverError",
  "ResolverNotContract",
  "ResolverNotFound",
  "UnsupportedResolverProfile",
]);

/** Looks names up by ENS's universal resolver. */
export function createLookup(rpcUrl: string): Lookup {
  const client = createPublicClient({
    chain: mainnet,
    // Off: a name could make this server call any address.
    ccipRead: false,
    transport: http(rpcUrl, { retryCount: 0, fetchFn: fetchInTime }),
  });
  return async (name) => {
    const normalized = normalizeName(name);
    if (normalized === null) return null;
    try {
      const address = await getEnsAddress(client, { name: normalized, strict: true });
      return address && parseAddress(address);
    } catch (error) {
      if (isWithoutAddress(error)) return null;
      throw withoutSecrets(error);
    }
  };
}

/** The deadline holds until the last byte of the answer. */
const fetchInTime: typeof fetch = (input, init) =>
  fetch(input, { ...init, redirect: "error", signal: AbortSignal.timeout(DEADLINE_MS) });

/** The name by ENSIP-15. Null when it is none. */
function normalizeName(name: string): string | null {
  try {
    return normalize(name);
  } catch {
    return null;
  }
}

function isWithoutAddress(error: unknown): boolean {
  const reverted = error instanceof BaseError && error.walk(isRevert);
  return (
    reverted instanceof ContractFunctionRevertedError &&
    NO_ADDRESS_ERRORS.has(reverted.data?.errorName ?? "")
  );
}

function isRevert(error: unknown): boolean {
  return error instanceof ContractFunctionRevertedError;
}

/** What the log may have of it: viem's own message has the endpoint's address, which holds a key. */
function withoutSecrets(error: unknown): Error {
  const cause = error instanceof BaseError ? error.walk() : error;
  const name = cause instanceof Error ? cause.name : "unknown error";
  const status = cause instanceof HttpRequestError && cause.status ? `, HTTP ${cause.status}` : "";
  return new Error(`The ENS endpoint failed: ${name}${status}`);
}
