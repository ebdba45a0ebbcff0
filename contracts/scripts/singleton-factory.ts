import type { Hex } from "viem";

/**
 * The address of the Safe singleton factory on some three hundred chains. The Safe team deploys it.
 */
export const SAFE_SINGLETON_FACTORY = "0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7";

/**
 * The factory's runtime code: it takes salt and init code, calls CREATE2 and returns the address.
 * Source: github.com/safe-global/safe-singleton-factory
 */
export const SAFE_SINGLETON_FACTORY_CODE: Hex =
  "0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3";
