import { type Hex, type Log, parseEventLogs, toFunctionSelector } from "viem";
import type { Address } from "../address";
import { campaignAbi } from "./contract";
import { SOMNIA_CHAINS } from "./cost";

// Paying a campaign out to everybody: `distribute` in batches. The contract pays no share twice, so a
// batch that is sent again, or that a claim overtakes, does no harm.

/** A share that the contract has not paid yet, with what it takes to pay it. */
export interface Payment {
  readonly account: Address;
  /** The share in base units, as text: it is sent as JSON. */
  readonly amountWei: string;
  readonly merkleProof: readonly Hex[];
  readonly root: Hex;
  readonly bucket: number;
  /** The leaf's mark in the contract. */
  readonly leafIndex: number;
}

/** Names the place of a share in the order of paying out. */
export function toCursor({ bucket, leafIndex }: Pick<Payment, "bucket" | "leafIndex">): string {
  return `${bucket}.${leafIndex}`;
}

/** The most payments in one call. */
export const PAYMENTS_MAX = 100;

const GAS_EACH = 300_000n;
const GAS_EACH_SOMNIA = 3_000_000n;

/** Makes the call that pays many shares of an airdrop. */
export function distributeCall(
  { chainId, contract, onchainId }: { chainId: number; contract: Address; onchainId: bigint },
  payments: readonly Payment[],
) {
  const tuples = payments.map(({ account, amountWei, merkleProof }) => ({
    account,
    id: onchainId,
    amount: BigInt(amountWei),
    proof: merkleProof,
  }));
  return {
    address: contract,
    abi: campaignAbi,
    functionName: "distribute",
    args: [tuples, SOMNIA_CHAINS.includes(chainId) ? GAS_EACH_SOMNIA : GAS_EACH],
    value: 0n,
  } as const;
}

/** The reason why the contract skipped a payment. */
export interface Skip {
  readonly account: Address;
  readonly amountWei: string;
  /** The selector of the contract's error. */
  readonly reason: Hex;
}

/** The result of one call. */
export interface PayOutResult {
  readonly paid: number;
  /** Payments of wallets that had claimed meanwhile. */
  readonly overtaken: number;
  readonly skipped: readonly Skip[];
}

const selectorOf = (name: string) => toFunctionSelector(`${name}()`);
const ALREADY_CLAIMED = selectorOf("AlreadyClaimed");

/** Reads what a call of `distribute` did from the logs of its receipt. */
export function readPayOut(
  logs: readonly Log[],
  { contract, onchainId }: { contract: Address; onchainId: bigint },
): PayOutResult {
  const own = parseEventLogs({
    abi: campaignAbi,
    eventName: ["Claimed", "Skipped"],
    logs: logs.filter(({ address }) => address.toLowerCase() === contract),
  }).filter(({ args }) => args.id === onchainId);
  const skips = own.flatMap((log) =>
    log.eventName === "Skipped"
      ? [
          {
            account: log.args.account.toLowerCase() as Address,
            amountWei: log.args.amount.toString(),
            reason: log.args.reason,
          },
        ]
      : [],
  );
  const skipped = skips.filter(({ reason }) => reason !== ALREADY_CLAIMED);
  const paid = own.length - skips.length;
  return { paid, overtaken: skips.length - skipped.length, skipped };
}

const REASONS: Readonly<Record<Hex, string>> = {
  [selectorOf("TransferFailed")]: "The token refused the payment.",
  [selectorOf("ETHTransferFailed")]: "The wallet refused the coin.",
  [selectorOf("InvalidProof")]: "The contract does not know this share.",
  [selectorOf("InsufficientFunds")]: "The bucket holds less than the share.",
  [selectorOf("Expired")]: "The deadline has passed.",
  [selectorOf("NotActive")]: "The campaign was cancelled.",
  "0x00000000": "It used up the gas of its payment.",
};

/** Describes why the contract skipped a payment. */
export function describeSkip(reason: Hex): string {
  return REASONS[reason] ?? "The token or the wallet refused the payment.";
}

/** Checks whether the contract has paid a leaf, by the word of marks that holds its mark. */
export function isMarked(marks: bigint, leafIndex: number): boolean {
  return ((marks >> BigInt(leafIndex % 256)) & 1n) === 1n;
}
