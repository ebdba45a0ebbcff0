import type { Address } from "../domain/address";
import { createGuardedFetch, type GuardedFetch } from "./guarded-fetch";

// Names are resolved on Ethereum mainnet. What does it is loaded with the first name: a start does
// not wait for it. Nothing is kept here: app/services/ens-names.ts does that.

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

interface State {
  readonly options: EnsOptions;
  readonly load: () => Promise<EnsLookup>;
}

// One state for the process. On globalThis, as the database's is: the two entries of the server
// build each have a copy of this module.
const holder = globalThis as typeof globalThis & { pointsEns?: State | undefined };

/** Sets up ENS for this process. */
export function openEns(options: EnsOptions): void {
  holder.pointsEns = { options, load: createEnsLoader(options) };
}

/** Whether there is an endpoint to ask. */
export function isEnsConfigured(): boolean {
  return (holder.pointsEns?.options.rpcUrls.length ?? 0) > 0;
}

/** What looks names up in this process, loaded when first needed. */
export function loadEnsLookup(): Promise<EnsLookup> {
  if (!holder.pointsEns) openEns({ rpcUrls: [] });
  if (!holder.pointsEns) throw new Error("ENS is not set up");
  return holder.pointsEns.load();
}

/** Looks names up through endpoints of its own; loaded when first needed. */
export function createEnsLoader(options: EnsOptions): () => Promise<EnsLookup> {
  let lookup: Promise<EnsLookup> | null = null;
  return () => {
    lookup ??= import("./ens-lookup").then(({ createEnsLookup }) =>
      createEnsLookup({ fetchFromGateway: createGuardedFetch(), ...options }),
    );
    return lookup;
  };
}
