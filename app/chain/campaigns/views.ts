import type { PublicClient } from "viem";
import type { Address } from "../../domain/address";
import { campaignAbi } from "../../domain/campaigns/contract";

/** One call of a view of a campaign contract. */
interface ViewCall {
  readonly address: Address;
  readonly functionName: "airdrop" | "bucket" | "marksOf";
  readonly args: readonly unknown[];
}

/**
 * Reads many views of campaign contracts in one call, from one state of the chain.
 * @param blockNumber the block whose state is read; otherwise the newest
 */
export function readViews(
  client: PublicClient,
  calls: readonly ViewCall[],
  blockNumber?: bigint,
): Promise<unknown[]> {
  if (calls.length === 0) return Promise.resolve([]);
  return client.multicall({
    contracts: calls.map((call) => ({ ...call, abi: campaignAbi })) as never,
    allowFailure: false,
    batchSize: 0,
    deployless: true,
    ...(blockNumber !== undefined && { blockNumber }),
  }) as Promise<unknown[]>;
}
