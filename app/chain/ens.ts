import type { Address } from "../domain/address";
import { createGuardedFetch, type GuardedFetch } from "./guarded-fetch";

// Names are resolved on Ethereum mainnet. What does it is loaded with the first name: a start does
// not wait for it. Nothing is kept here: app/services/ens-names.ts does that.

/** Looks names up. Each throws when the answer could not be found out, within 3 s. */
export interface EnsLookup {
  /** The name as ENS writes it (ENSIP-15). Null when the text is no name. */
  readonly normalizeName: (text: string) => string | null;
  /** The address of a normalized name. Null when it has none. */
  readonly findAddress: (name: string) => Promise<Address | null>;
  /** The name that an address chose, if it is normalized and resolves to the address. */
  readonly findPrimaryName: (address: Address) => Promise<string | null>;
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
  lookup: Promise<EnsLookup> | null;
}

// One state for the process. On globalThis, as the database's is: the two entries of the server
// build each have a copy of this module.
const holder = globalThis as typeof globalThis & { pointsEns?: State | undefined };

/** Sets up ENS for this process. */
export function openEns(options: EnsOptions): void {
  holder.pointsEns = { options, lookup: null };
}

/** Whether there is an endpoint to ask. */
export function isEnsConfigured(): boolean {
  return (holder.pointsEns?.options.rpcUrls.length ?? 0) > 0;
}

/** What looks names up in this process, loaded when first needed. */
export function loadEnsLookup(): Promise<EnsLookup> {
  holder.pointsEns ??= { options: { rpcUrls: [] }, lookup: null };
  const state = holder.pointsEns;
  state.lookup ??= import("./ens-lookup").then(({ createEnsLookup }) =>
    createEnsLookup({ fetchFromGateway: createGuardedFetch(), ...state.options }),
  );
  return state.lookup;
}
