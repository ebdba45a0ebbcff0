import { encodeFunctionData, type Hex } from "viem";
import type { Address } from "../address";
import { campaignAbi } from "./contract";
import { isNativeCoin } from "./native-coin";
import type { CampaignRef } from "./ref";

/** The terms with which a campaign is created on chain. */
export interface CreationTerms {
  readonly contract: Address;
  /** The token's address; the zero address for the chain's own coin. */
  readonly token: Address;
  /** The last second at which a claim is valid, in seconds since 1970; 0 for none. */
  readonly deadlineSeconds: number;
  readonly admin: Address;
  readonly ref: CampaignRef;
}

/** A merkle tree and the amount that is escrowed for it. */
export interface CampaignBucket {
  readonly root: Hex;
  readonly totalWei: bigint;
}

/** A transaction before it is sent. */
export interface PlainCall {
  readonly to: Address;
  readonly value: bigint;
  readonly data: Hex;
}

/** ERC-20's `approve` without its return value: some tokens return nothing. */
const approveAbi = [
  {
    type: "function",
    name: "approve",
    stateMutability: "nonpayable",
    inputs: [
      { name: "spender", type: "address" },
      { name: "amount", type: "uint256" },
    ],
    outputs: [],
  },
] as const;

const toTuples = (buckets: readonly CampaignBucket[]) =>
  buckets.map(({ root, totalWei }) => ({ root, total: totalWei }));

const sumOf = (buckets: readonly CampaignBucket[]) =>
  buckets.reduce((sum, { totalWei }) => sum + totalWei, 0n);

/** Makes the call that lets the contract take exactly this much of a token. */
export function approveCall({ contract, token }: CreationTerms, amountWei: bigint) {
  return {
    address: token,
    abi: approveAbi,
    functionName: "approve",
    args: [contract, amountWei],
    value: 0n,
  } as const;
}

/** Makes the call that opens the airdrop and escrows these buckets. */
export function createCall(terms: CreationTerms, buckets: readonly CampaignBucket[]) {
  const { contract, token, deadlineSeconds, admin, ref } = terms;
  return {
    address: contract,
    abi: campaignAbi,
    functionName: "create",
    args: [token, deadlineSeconds, admin, ref, toTuples(buckets)],
    value: isNativeCoin(token) ? sumOf(buckets) : 0n,
  } as const;
}

/** Makes the call that escrows more buckets of an open airdrop. */
export function addBucketsCall(
  { contract, token }: Pick<CreationTerms, "contract" | "token">,
  onchainId: bigint,
  buckets: readonly CampaignBucket[],
) {
  return {
    address: contract,
    abi: campaignAbi,
    functionName: "addBuckets",
    args: [onchainId, toTuples(buckets)],
    value: isNativeCoin(token) ? sumOf(buckets) : 0n,
  } as const;
}

/**
 * Lists the calls that bring buckets on chain, in their order:
 * - the approval of exactly the amount that the buckets hold, unless it is the chain's own coin;
 * - the creation of the airdrop, or the addition to an existing one.
 * @param allowanceWei the amount that the admin lets the contract take already. A smaller allowance
 *   than needed is reset first: some tokens, USDT among them, change an approval only from or to
 *   zero
 */
export function listFundingCalls(
  terms: CreationTerms,
  onchainId: bigint | null,
  buckets: readonly CampaignBucket[],
  allowanceWei = 0n,
): PlainCall[] {
  const { contract, token } = terms;
  const call =
    onchainId === null ? createCall(terms, buckets) : addBucketsCall(terms, onchainId, buckets);
  const data = encodeFunctionData(call);
  const funding = { to: contract, value: call.value, data };
  if (isNativeCoin(token)) return [funding];
  const approve = (amountWei: bigint) => ({
    to: token,
    value: 0n,
    data: encodeFunctionData(approveCall(terms, amountWei)),
  });
  const neededWei = sumOf(buckets);
  if (allowanceWei >= neededWei) return [funding];
  return [...(allowanceWei > 0n ? [approve(0n)] : []), approve(neededWei), funding];
}
