import type { Address } from "../../domain/address";
import { campaignAbi } from "../../domain/campaigns/contract";
import type { ContractCall } from "../wallet/use-send";
import type { PageClaim } from "./use-token-claims";

/** Makes the call that pays claims: one by itself, or several at once. */
export function toClaimCall(contract: Address, claims: readonly PageClaim[]): ContractCall {
  const parts = claims.map(({ entry, proof }) => ({
    id: BigInt(entry.onchainId),
    amount: BigInt(proof?.amount ?? 0),
    proof: proof?.merkleProof ?? [],
  }));
  const [only] = parts;
  const isOne = parts.length === 1 && only !== undefined;
  return {
    address: contract,
    abi: campaignAbi,
    functionName: isOne ? "claim" : "claimMany",
    args: isOne ? [only.id, only.amount, only.proof] : [parts],
    value: 0n,
  };
}
