import type { Address } from "../../domain/address";
import type { GuardedFetch } from "./guarded-fetch";

/** Chains as ENS numbers them (ENSIP-9, ENSIP-11). */
export const ETHEREUM_COIN_TYPE = 60n;
export const BASE_COIN_TYPE = 2_147_492_101n;

/** Looks names up. Each throws when the answer could not be found out, within 3 s. */
export interface EnsLookup {
  /** The name as ENS writes it (ENSIP-15). Null when the text is no name. */
  readonly normalizeName: (text: string) => string | null;
  /** The address of a normalized name. Null when it has none. */
  readonly findAddress: (name: string) => Promise<Address | null>;
  /**
   * The name that an address chose, if it is normalized and resolves to the address.
   * @param coinType the chain that it chose it for, by ENS's numbers; Ethereum when left out
   */
  readonly findPrimaryName: (address: Address, coinType?: bigint) => Promise<string | null>;
}

export interface EnsOptions {
  /** JSON-RPC endpoints of Ethereum mainnet, tried in this order. They may hold keys. */
  readonly rpcUrls: readonly string[];
  /** The universal resolver, when it is not mainnet's: for tests. */
  readonly universalResolver?: Address;
  /** What calls gateways, when it is not the real network: for tests. */
  readonly fetchFromGateway?: GuardedFetch;
}
