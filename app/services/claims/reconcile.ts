import { askChain } from "../../chain/campaigns/events";
import { getCampaignContract, listConfiguredChainIds } from "../../chain/rpc/chains";
import { type Bucket, listDiffering, readBuckets } from "./compare";
import { concludeComparison } from "./rescan";
import type { ChainContract } from "./store";

/** The trees that are read at one block, whose state is only available for a short time. */
const BUCKETS_AT_ONCE = 20;

/**
 * Compares every airdrop on every chain with the contract. When one differs, the chain is read
 * again from that airdrop's creation, through the next endpoint if there is one.
 * @throws {Error} when a chain could not be read, after all others were tried
 */
export async function reconcileClaims(signal: AbortSignal): Promise<void> {
  let failure: unknown;
  for (const chainId of listConfiguredChainIds()) {
    // The job stays undone, so another process takes it over.
    signal.throwIfAborted();
    await reconcileChain({ chainId, contract: getCampaignContract(chainId) }, signal).catch(
      (error: unknown) => {
        failure ??= error;
      },
    );
  }
  if (failure !== undefined) throw failure;
}

async function reconcileChain(of: ChainContract, signal: AbortSignal): Promise<void> {
  let compared = 0;
  let after: Bucket | null = null;
  const differing: Bucket[] = [];
  for (;;) {
    signal.throwIfAborted();
    const page = await readBuckets(of, after, { isAll: true, limit: BUCKETS_AT_ONCE });
    if (!page) return;
    after = page.buckets.at(-1) ?? null;
    if (!after) break;
    differing.push(...(await askChain(of.chainId, (client) => listDiffering(client, of, page))));
    compared += page.buckets.length;
  }
  if (compared > 0) await concludeComparison(of, compared, differing, { isRepeated: false });
}
