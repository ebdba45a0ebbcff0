import type { Address } from "viem";
import type { Config } from "wagmi";
import { getBytecode } from "wagmi/actions";

/**
 * The beginning of the code of a delegated account (EIP-7702), which is still controlled by a key
 * and pays its own gas.
 */
const DELEGATION = "0xef0100";

/**
 * Checks whether a wallet is a contract: others may have to sign, and the account that executes
 * pays the gas.
 */
export async function isContractWallet(
  config: Config,
  address: Address | undefined,
  chainId: number,
): Promise<boolean> {
  if (!address) return false;
  const code = await getBytecode(config, { address, chainId });
  return code !== undefined && !code.startsWith(DELEGATION);
}
