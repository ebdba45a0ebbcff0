import { BaseError, ContractFunctionRevertedError, createPublicClient, http } from "viem";
import { mainnet } from "viem/chains";
import { getEnsName, normalize } from "viem/ens";
import type { Address } from "../domain/address";

/** Coin types of ENS: Ethereum, and Base (0x80000000 and its chain id). */
export const PRIMARY_NAME_COIN_TYPES = [60n, 2_147_492_101n] as const;

const DEADLINE_MS = 3_000;

/** How the universal resolver says that there is none. A name kept off chain is not looked for. */
const NO_NAME_ERRORS = new Set([
  "OffchainLookup",
  "ResolverError",
  "ResolverNotContract",
  "ResolverNotFound",
  "ReverseAddressMismatch",
  "UnsupportedResolverProfile",
]);
const OFFCHAIN_LOOKUP_SELECTOR = "0x556f1830";

/** Finds an address' primary name that resolves back; null when it has none. Throws when unknown. */
export type FindPrimaryName = (address: Address, coinType: bigint) => Promise<string | null>;

/**
 * Asks ENS's universal resolver, which verifies the name, through the first endpoint that answers.
 * @param rpcUrls endpoints of Ethereum; without any, no wallet has a name
 */
export function createPrimaryNameLookup(rpcUrls: readonly string[]): FindPrimaryName {
  const clients = rpcUrls.map((url) =>
    createPublicClient({
      chain: mainnet,
      // Off: a name could make this server call any address.
      ccipRead: false,
      transport: http(url, { retryCount: 0, fetchFn: fetchInTime }),
    }),
  );
  return async (address, coinType) => {
    for (const client of clients) {
      try {
        const name = await getEnsName(client, { address, coinType, strict: true });
        // One that is written otherwise is somebody's who looks like somebody else.
        return name !== null && name === normalize(name) ? name : null;
      } catch (error) {
        if (isWithoutName(error)) return null;
        // The next one; viem's message has the endpoint's address, which can hold a key.
      }
    }
    if (clients.length === 0) return null;
    throw new Error("No endpoint of Ethereum answered for a primary name");
  };
}

function isWithoutName(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  const revert = error.walk((cause) => cause instanceof ContractFunctionRevertedError);
  if (!(revert instanceof ContractFunctionRevertedError)) return false;
  return (
    NO_NAME_ERRORS.has(revert.data?.errorName ?? "") ||
    revert.signature === OFFCHAIN_LOOKUP_SELECTOR
  );
}

const fetchInTime: typeof fetch = (input, init) =>
  fetch(input, { ...init, redirect: "error", signal: AbortSignal.timeout(DEADLINE_MS) });
