import { createGuardedFetch } from "./guarded-fetch";
import type { EnsLookup, EnsOptions } from "./protocol";

// Names are resolved on Ethereum mainnet. What does it is loaded with the first name: a start does
// not wait for it. Nothing is kept here: app/services/ens/names.ts does that.

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
    lookup ??= import("./lookup").then(({ createEnsLookup }) =>
      createEnsLookup({ fetchFromGateway: createGuardedFetch(), ...options }),
    );
    return lookup;
  };
}
