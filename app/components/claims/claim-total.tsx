import type { Address } from "../../domain/address";
import type { ClaimChain } from "./claim-page";
import type { TokenEntry } from "./claim-service";
import { isReady } from "./claim-stage";
import { TokenSums } from "./token-group";
import { useTokenClaims } from "./use-token-claims";

/** Shows what can be claimed in all, where that takes more than one chain. */
export function ClaimTotal({
  entries,
  chains,
  address,
}: {
  entries: readonly TokenEntry[];
  chains: readonly ClaimChain[];
  address: Address;
}) {
  const ready = useTokenClaims(entries, address, false, [])
    .filter(({ stage }) => isReady(stage))
    .map(({ entry }) => entry);
  const names = chains
    .filter(({ id }) => ready.some(({ chainId }) => chainId === id))
    .map(({ name }) => name);
  if (names.length < 2) return null;
  return (
    <div className="text-sm">
      <p className="flex flex-wrap gap-x-4 text-2xl font-semibold tracking-tight">
        <TokenSums entries={ready} />
      </p>
      <p className="text-ink-muted">
        Ready to claim in all: {ready.length} rewards on {new Intl.ListFormat("en").format(names)}.
      </p>
    </div>
  );
}
