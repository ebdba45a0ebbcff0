import { createGuardedFetch } from "./guarded-fetch";
import type { EnsLookup, EnsOptions } from "./protocol";

// Resolves names on Ethereum mainnet. The code that does so is loaded with the first name, so a
// start does not wait for it. Results are cached in app/services/ens/names.ts, not here.

interface State {
  readonly options: EnsOptions;
  readonly load: () => Promise<EnsLookup>;
}

// The state is per process. It is on globalThis, like the database's: the server build has two
// entries, and each has its own copy of this module.
const holder = globalThis as typeof globalThis & { pointsEns?: State | undefined };

/** Sets up ENS for this process. */
export function openEns(options: EnsOptions): void {
  holder.pointsEns = { options, load: createEnsLoader(options) };
}

/** Checks whether an endpoint is configured. */
export function isEnsConfigured(): boolean {
  return (holder.pointsEns?.options.rpcUrls.length ?? 0) > 0;
}

/** Loads the lookup of this process on first use. */
export function loadEnsLookup(): Promise<EnsLookup> {
  if (!holder.pointsEns) openEns({ rpcUrls: [] });
  if (!holder.pointsEns) throw new Error("ENS is not set up");
  return holder.pointsEns.load();
}

/** Creates a loader of a lookup with its own endpoints. The lookup is loaded on first use. */
export function createEnsLoader(options: EnsOptions): () => Promise<EnsLookup> {
  let lookup: Promise<EnsLookup> | null = null;
  return () => {
    lookup ??= import("./lookup").then(({ createEnsLookup }) =>
      createEnsLookup({ fetchFromGateway: createGuardedFetch(), ...options }),
    );
    return lookup;
  };
}
