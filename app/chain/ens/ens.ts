import { processState } from "../../process/state";
import { createGuardedFetch } from "./guarded-fetch";
import type { EnsLookup, EnsOptions } from "./protocol";

// Resolves names on Ethereum mainnet. The code that does so is loaded with the first name, so a
// start does not wait for it. Results are cached in app/services/ens/names.ts, not here.

interface State {
  readonly options: EnsOptions;
  readonly load: () => Promise<EnsLookup>;
}

const holder = processState<{ current?: State | undefined }>("ENS", () => ({}));

/** Sets up ENS for this process. */
export function openEns(options: EnsOptions): void {
  holder.current = { options, load: createEnsLoader(options) };
}

/** Checks whether an endpoint is configured. */
export function isEnsConfigured(): boolean {
  return (holder.current?.options.rpcUrls.length ?? 0) > 0;
}

/** Loads the lookup of this process on first use. */
export function loadEnsLookup(): Promise<EnsLookup> {
  if (!holder.current) openEns({ rpcUrls: [] });
  if (!holder.current) throw new Error("ENS is not set up");
  return holder.current.load();
}

/** Creates a loader of a lookup with its own endpoints. The lookup is loaded on first use. */
function createEnsLoader(options: EnsOptions): () => Promise<EnsLookup> {
  let lookup: Promise<EnsLookup> | null = null;
  return () => {
    lookup ??= import("./lookup").then(({ createEnsLookup }) =>
      createEnsLookup({ fetchFromGateway: createGuardedFetch(), ...options }),
    );
    return lookup;
  };
}
