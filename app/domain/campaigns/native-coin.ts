import { formatEther } from "viem";
import type { Address } from "../address";

/** The address that stands for the chain's own coin in the campaign contract. */
export const NATIVE_COIN: Address = `0x${"0".repeat(40)}`;

/** Checks whether an address stands for the chain's own coin. */
export function isNativeCoin(token: Address): boolean {
  return token === NATIVE_COIN;
}

/** Writes an amount of the chain's own coin with three digits, for a sentence. */
export function formatCoin(wei: bigint): string {
  return Number(formatEther(wei)).toLocaleString("en", { maximumSignificantDigits: 3 });
}
