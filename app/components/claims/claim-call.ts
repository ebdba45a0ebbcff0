import type { Address } from "../../domain/address";
import { campaignAbi } from "../../domain/campaigns/contract";
import type { ContractCall } from "../wallet/use-send";
import type { PageClaim } from "./use-token-claims";

/** The most claims in one transaction: their gas stays far below what a transaction may take on any chain. */
export const CLAIMS_AT_ONCE_MAX = 20;

/**
 * Makes the call that pays claims: one by itself, or several at once.
 * @param to the address that one claim is paid to; null for the wallet itself
 */
export function toClaimCall(
  contract: Address,
  claims: readonly PageClaim[],
  to: Address | null = null,
): ContractCall {
  const parts = claims.map(({ entry, proof }) => ({
    id: BigInt(entry.onchainId),
    amount: BigInt(proof?.amount ?? 0),
    proof: proof?.merkleProof ?? [],
  }));
  const [only] = parts;
  const isOne = parts.length === 1 && only !== undefined;
  const call = { address: contract, abi: campaignAbi, value: 0n };
  if (isOne && to !== null) {
    return { ...call, functionName: "claimTo", args: [only.id, to, only.amount, only.proof] };
  }
  return {
    ...call,
    functionName: isOne ? "claim" : "claimMany",
    args: isOne ? [only.id, only.amount, only.proof] : [parts],
  };
}
