import type { Address } from "../address";

/** How the campaign contract names the chain's own coin. */
export const NATIVE_COIN: Address = `0x${"0".repeat(40)}`;

/** Whether an address stands for the chain's own coin. */
export function isNativeCoin(token: Address): boolean {
  return token === NATIVE_COIN;
}
