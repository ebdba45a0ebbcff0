import type { Address } from "../../domain/address";
import type { GuardedFetch } from "./guarded-fetch";

/** Chain numbers of ENS (ENSIP-9, ENSIP-11). */
export const ETHEREUM_COIN_TYPE = 60n;
export const BASE_COIN_TYPE = 2_147_492_101n;

/** Looks names up. Each function throws when it finds no answer within 3 s. */
export interface EnsLookup {
  /** Writes a name as ENS does (ENSIP-15). Returns null when the text is no name. */
  readonly normalizeName: (text: string) => string | null;
  /** Finds the address of a normalized name. Returns null when it has none. */
  readonly findAddress: (name: string) => Promise<Address | null>;
  /**
   * Finds the name that an address chose, if it is normalized and resolves to the address.
   * @param coinType the chain of the choice, in ENS's numbers; Ethereum by default
   */
  readonly findPrimaryName: (address: Address, coinType?: bigint) => Promise<string | null>;
}

export interface EnsOptions {
  /** JSON-RPC endpoints of Ethereum mainnet, tried in this order. They may hold keys. */
  readonly rpcUrls: readonly string[];
  /** The universal resolver; tests set it, otherwise it is mainnet's. */
  readonly universalResolver?: Address;
  /** The fetch that calls gateways; tests set it, otherwise it uses the network. */
  readonly fetchFromGateway?: GuardedFetch;
}

/** Says that there is no connection to any endpoint, so no question can be answered now. */
export class EnsUnreachableError extends Error {
  override readonly name = "EnsUnreachableError";

  constructor() {
    super("No ENS endpoint can be reached");
  }
}
