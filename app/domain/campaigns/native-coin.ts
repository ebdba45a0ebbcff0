import type { Address } from "../address";

/** The address that stands for the chain's own coin in the campaign contract. */
export const NATIVE_COIN: Address = `0x${"0".repeat(40)}`;

/** Checks whether an address stands for the chain's own coin. */
export function isNativeCoin(token: Address): boolean {
  return token === NATIVE_COIN;
}
