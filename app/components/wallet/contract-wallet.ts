import type { Address } from "viem";
import type { Config } from "wagmi";
import { getBytecode } from "wagmi/actions";

/** How the code of an account begins that is a key's all the same (EIP-7702): it pays its own gas. */
const DELEGATION = "0xef0100";

/** Whether a wallet is a contract: others may have to sign, and whoever executes pays the gas. */
export async function isContractWallet(
  config: Config,
  address: Address | undefined,
  chainId: number,
): Promise<boolean> {
  if (!address) return false;
  const code = await getBytecode(config, { address, chainId });
  return code !== undefined && !code.startsWith(DELEGATION);
}
