import type { Hex } from "viem";

/** The Safe singleton factory: at this address on some three hundred chains, deployed by the Safe team. */
export const SAFE_SINGLETON_FACTORY = "0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7";

/**
 * Its runtime code: takes salt and init code, calls CREATE2, answers the address.
 * Source: github.com/safe-global/safe-singleton-factory
 */
export const SAFE_SINGLETON_FACTORY_CODE: Hex =
  "0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3";
