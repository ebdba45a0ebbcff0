import { askChain } from "../../chain/campaigns/events";
import { getCampaignContract, listConfiguredChainIds } from "../../chain/rpc/chains";
import { type Bucket, listDiffering, readBuckets } from "./compare";
import { concludeComparison } from "./rescan";
import type { ChainContract } from "./store";

/** Trees that are read at one block: its state is there for a short while only. */
const BUCKETS_AT_ONCE = 20;

/**
 * Compares every airdrop on every chain with the contract. Where they differ, the chain is read anew from
 * that airdrop's creation on, through the next endpoint if there is one.
 * @throws when a chain could not be asked, after all others were
 */
export async function reconcileClaims(signal: AbortSignal): Promise<void> {
  let failure: unknown;
  for (const chainId of listConfiguredChainIds()) {
    // Not done: another process takes it up.
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
